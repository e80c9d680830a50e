package jsondoc_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"conch/engine/kserve/httpapi/jsondoc"
)

// asked parses a text, and returns how much memory that asked for.
func asked(t *testing.T, k *jsondoc.Known, src []byte) (doc *jsondoc.Value, bytes int64) {
	t.Helper()
	if doc = k.Find(src); doc != nil {
		return doc, 0
	}
	doc, err := k.ParseWithin(src, func(more int64) error { bytes += more; return nil })
	if err != nil {
		t.Error(err)
		return &jsondoc.Value{}, bytes
	}
	return doc, bytes
}

// A text is kept when it comes a second time; from then on it takes no memory. One that has come once, a long one and one with an
// error are not kept.
func TestKnown(t *testing.T) {
	k, others := jsondoc.NewKnown(), jsondoc.NewKnown() // another text could take the place of the one that is kept
	for i := range 4 {
		if _, bytes := asked(t, k, []byte(`{"inputs":[{"name":"IN"}]}`)); (bytes == 0) != (i >= 2) {
			t.Errorf("parsing %d asked for %d bytes", i, bytes)
		}
		if _, bytes := asked(t, others, fmt.Appendf(nil, `{"id":"%d"}`, i)); bytes == 0 {
			t.Errorf("a text that never came was known: %d", i)
		}
		if _, bytes := asked(t, k, []byte(`{"id":"`+strings.Repeat("x", 1<<10)+`"}`)); bytes == 0 {
			t.Errorf("a long text was kept: %d", i)
		}
		if _, err := others.ParseWithin([]byte(`{"id":1.}`), nil); err == nil || err.Error() != "Miss fraction part in number. at 8" {
			t.Errorf("parsing %d: %v", i, err)
		}
	}
}

// What was read from a text stays what it was when the text's bytes are those of another request.
func TestKnownStays(t *testing.T) {
	k, src := jsondoc.NewKnown(), make([]byte, 64)
	for i := range 4 {
		src = append(src[:0], `{"name":"IN","é":"a\"é","shape":[1,16]}`...)
		doc, _ := asked(t, k, src)
		name, err := doc.GetString("name")
		clear(src)
		if i < 2 {
			continue // the values borrow src's bytes
		}
		escaped, err2 := doc.GetString("é")
		shape, err3 := doc.GetArray("shape")
		if name != "IN" || escaped != `a"é` || err != nil || err2 != nil || err3 != nil {
			t.Errorf("%q %q, %v %v %v", name, escaped, err, err2, err3)
		}
		elements := shape.Elements()
		if token, ok := elements.Next(); string(token) != "1" || !ok {
			t.Errorf("shape begins with %q", token)
		}
	}
}

// Several goroutines parse more texts than are kept, and get what each text says.
func TestKnownByMany(t *testing.T) {
	k := jsondoc.NewKnown()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 4000 {
				want := fmt.Sprint(i / 3 % 200)
				doc, _ := asked(t, k, []byte(`{"id":"`+want+`"}`))
				if id, err := doc.GetString("id"); id != want || err != nil {
					t.Errorf("%q, %v, want %q", id, err, want)
				}
			}
		})
	}
	all.Wait()
}
