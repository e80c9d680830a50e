package unblocking

import "testing"

// A reader that is the only one for a while is alone, until another one gets something.
func TestLatest(t *testing.T) {
	t.Parallel()
	var l Latest[int]
	a, b := new(int), new(int)
	if !l.Got(a) || l.Got(a) || !l.Got(b) || !l.Got(a) {
		t.Error("another reader was the last before, where none was, or none where one was")
	}
	for i := range while + 1 {
		if l.Alone(a) != (i >= while) {
			t.Fatalf("after %d times in a row: %t", i, l.Alone(a))
		}
		l.Got(a)
	}
	if l.Got(b); l.Alone(a) || l.Alone(b) {
		t.Error("of two readers, one is alone")
	}
	if l.Left(b); l.reader.Load() != nil {
		t.Error("a reader that has left is kept")
	}
}
