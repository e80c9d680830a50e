package unblocking

import "testing"

// A reader that is the only one for a while is alone, until another one gets something.
func TestCompany(t *testing.T) {
	t.Parallel()
	var c Company[int]
	a, b := new(int), new(int)
	if !c.Got(a) || c.Got(a) || !c.Got(b) || !c.Got(a) {
		t.Error("who comes by turns has company, who comes twice has none")
	}
	for i := range while + 1 {
		if c.Alone(a) != (i >= while) {
			t.Fatalf("after %d times in a row: %t", i, c.Alone(a))
		}
		c.Got(a)
	}
	if c.Got(b); c.Alone(a) || c.Alone(b) {
		t.Error("with company, nobody is alone")
	}
	if c.Left(b); c.newest.Load() != nil {
		t.Error("a reader that has left is kept")
	}
}
