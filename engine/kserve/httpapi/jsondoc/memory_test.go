package jsondoc_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"conch/engine/kserve/httpapi/jsondoc"
)

const megabyte = 1 << 20

// allocated returns how much memory the parser takes for a text, and how much of it the parser asked
// for.
func allocated(t *testing.T, text string) (taken, asked int64) {
	t.Helper()
	src := []byte(text)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	v, err := jsondoc.ParseWithin(src, func(bytes int64) error { asked += bytes; return nil })
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	runtime.KeepAlive(v)
	return int64(after.TotalAlloc - before.TotalAlloc), asked
}

// A scalar in an array takes no memory, even when the array also holds objects. The parser asks for memory before it
// takes it.
func TestMemoryOfMixedArrays(t *testing.T) {
	many := strings.Repeat("1,", 2*megabyte)
	for name, c := range map[string]struct {
		text string
		most int64
	}{
		"the object last":             {"[" + many + "{}]", megabyte / 4},
		"the object first":            {"[{}," + many + "1]", megabyte / 4},
		"one in between":              {"[" + many + "{}," + many + "1]", megabyte / 4},
		"rows":                        {"[" + strings.Repeat("[1,[2]],", megabyte/2) + "[]]", megabyte / 4},
		"objects in rows":             {"[" + strings.Repeat("[{}],", megabyte/2) + "[]]", megabyte / 4},
		"an object at every second":   {"[" + strings.Repeat("1,{},", megabyte/4) + "1]", 64 * megabyte},
		"objects with a member":       {"[" + strings.Repeat(`{"a":0},`, megabyte/4) + "1]", 128 * megabyte},
		"many members":                {"{" + strings.Repeat(`"":0,`, megabyte/2) + `"":0}`, 192 * megabyte},
		"members with names of their": {"{" + strings.Repeat(`"sixteen letters.":0,`, megabyte/8) + `"":0}`, 64 * megabyte},
	} {
		taken, asked := allocated(t, c.text)
		if taken > c.most {
			t.Errorf("%s: a text of %d bytes took %d, at most %d may be", name, len(c.text), taken, c.most)
		}
		if asked < taken/2-megabyte/4 { // the race detector takes half as much again
			t.Errorf("%s: %d bytes were taken and %d asked for", name, taken, asked)
		}
	}
}

// A refusal of memory ends the parsing.
func TestParseWithinARefusal(t *testing.T) {
	full := errors.New("full")
	for _, text := range []string{`{"a":[1,{"b":2}]}`, `[{}]`, `[1,{}]`, `{"data":1}`} {
		left := 10_000
		for grants := 0; ; grants++ {
			left = grants
			_, err := jsondoc.ParseWithin([]byte(text), func(int64) error {
				if left--; left < 0 {
					return full
				}
				return nil
			})
			if err == nil {
				if grants == 0 {
					t.Errorf("%s asked for nothing", text)
				}
				break
			}
			if !errors.Is(err, full) {
				t.Fatalf("%s: %v", text, err)
			}
		}
	}
}

// Every object of an array is found at its index.
func TestPlacesOfObjects(t *testing.T) {
	for text, want := range map[string]string{
		`[{},{},1,{}]`: "oo.o", `[1,{},{}]`: ".oo", `[{},[{}],{}]`: "o.o", `[{},{}]`: "oo", `[]`: "", `[1,[{}]]`: "..", `[null,{},"",{}]`: ".o.o",
	} {
		v, err := jsondoc.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for i := range v.Len() {
			if v.At(i).Kind() == jsondoc.Object {
				got += "o"
			} else {
				got += "."
			}
		}
		if got != want || v.At(v.Len()).Kind() != jsondoc.Null {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// The parts of a usual request lie in a few pieces of memory, however many they are.
func TestPiecesOfMemory(t *testing.T) {
	input := `{"name":"INPUT0","shape":[1,16],"datatype":"INT32","parameters":{"binary_data_size":64}}`
	output := `{"name":"OUTPUT0","parameters":{"binary_data":true}}`
	src := []byte(`{"inputs":[` + input + `,` + input + `],"outputs":[` + output + `,` + output + `]}`)
	pieces := testing.AllocsPerRun(100, func() {
		if _, err := jsondoc.Parse(src); err != nil {
			t.Fatal(err)
		}
	})
	if pieces > 10 { // the document, two blocks, two lists; the race detector makes a pool forget now and then
		t.Errorf("%.0f pieces", pieces)
	}
}
