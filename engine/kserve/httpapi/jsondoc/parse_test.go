package jsondoc_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"conch/engine/kserve/httpapi/jsondoc"
)

// The texts and offsets are those of Triton 2.51.0.
func TestSyntaxErrors(t *testing.T) {
	for text, want := range map[string]string{
		" ":              "The document is empty. at 1",
		"nope":           "Invalid value. at 1",
		"x":              "Invalid value. at 0",
		"{bad":           "Missing a name for object member. at 1",
		`{"a" 1}`:        "Missing a colon after a name of object member. at 5",
		`{"a":1 "b"}`:    "Missing a comma or '}' after an object member. at 7",
		"[1":             "Missing a comma or ']' after an array element. at 2",
		"[1 2]":          "Missing a comma or ']' after an array element. at 3",
		`{"a":"\x"}`:     "Invalid escape character in string. at 6",
		`{"a":"\ud800"}`: "The surrogate pair in string is invalid. at 6",
		`{"a":"\u00g0"}`: `Incorrect hex digit after \u escape in string. at 6`,
		`{"a":"abc`:      "Missing a closing quotation mark in string. at 9",
		"[\"a\nb\"]":     "Invalid escape character in string. at 3",
		"[\"a\x00b\"]":   "Missing a closing quotation mark in string. at 3",
		"\x00{}":         "The document is empty. at 0",
		"\ufeff":         "The document is empty. at 3",
		"\ufeff{} x":     "The document root must not be followed by other values. at 6",
		`{"a":1e400}`:    "Number too big to be stored in double. at 5",
		`{"a":1.}`:       "Miss fraction part in number. at 7",
		`{"a":1e}`:       "Miss exponent in number. at 7",
		`{"a":-}`:        "Invalid value. at 6",
		"{} x":           "The document root must not be followed by other values. at 3",
		"[Infinite]":     "Invalid value. at 8",
		"[01]":           "Missing a comma or ']' after an array element. at 2",
	} {
		_, err := jsondoc.Parse([]byte(text))
		if err == nil || err.Error() != want {
			t.Errorf("Parse(%q) = %v, want %s", text, err, want)
		}
	}
}

// A client may send a byte order mark, or the NUL byte that ends a string in C.
func TestMarkAndNUL(t *testing.T) {
	for _, text := range []string{"\ufeff{\"a\":[1]}", "{\"a\":[1]}\x00", "{\"a\":[1]}\n\x00{"} {
		v, err := jsondoc.Parse([]byte(text))
		if err != nil {
			t.Errorf("Parse(%q): %v", text, err)
		} else if a, _ := v.Find("a"); a == nil || a.Len() != 1 {
			t.Errorf("Parse(%q) has no list a of one value", text)
		}
	}
}

func TestDepth(t *testing.T) {
	nest := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	if _, err := jsondoc.Parse(nest(jsondoc.MaxDepth)); err != nil {
		t.Errorf("depth %d: %v", jsondoc.MaxDepth, err)
	}
	if _, err := jsondoc.Parse(nest(jsondoc.MaxDepth + 1)); err != (jsondoc.DepthError{}) {
		t.Errorf("depth %d: %v, want a DepthError", jsondoc.MaxDepth+1, err)
	}
}

func TestMixedArrayKeepsItsObjects(t *testing.T) {
	v, err := jsondoc.Parse([]byte(`[1, [2], {"a": "b\u00e9\ud83d\ude00"}, 3]`))
	if err != nil {
		t.Fatal(err)
	}
	if v.Len() != 4 || v.At(0).Kind() != jsondoc.Null || v.At(3).Kind() != jsondoc.Null {
		t.Errorf("length %d, kinds %v %v", v.Len(), v.At(0).Kind(), v.At(3).Kind())
	}
	if s, err := v.At(2).GetString("a"); s != "bé😀" || err != nil {
		t.Errorf("member a = %q, %v", s, err)
	}
}

func TestElementsAreFlat(t *testing.T) {
	v, err := jsondoc.Parse([]byte(`[[1, [ -2.5 ]], "a\"]b", {"x": "}"} ,[], true,NaN]`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for e := v.Elements(); ; {
		token, ok := e.Next()
		if !ok {
			break
		}
		got = append(got, string(token))
	}
	if len(got) != v.Leaves() {
		t.Errorf("%d elements, %d leaves", len(got), v.Leaves())
	}
	if want := `1|-2.5|"a\"]b"|{"x": "}"}|true|NaN`; strings.Join(got, "|") != want {
		t.Errorf("elements = %s, want %s", strings.Join(got, "|"), want)
	}
}

func TestNumbers(t *testing.T) {
	for token, want := range map[string]float64{
		"0": 0, "-12.5": -12.5, "1.100000023841858": 1.100000023841858, "5e-324": 5e-324,
		"123456789012345678901234567890": 123456789012345678901234567890.0,
		"Inf":                            math.Inf(1), "-Infinity": math.Inf(-1), "9007199254740993": 9007199254740992,
	} {
		if got, err := jsondoc.ParseDouble([]byte(token)); got != want || err != nil {
			t.Errorf("ParseDouble(%s) = %v, %v, want %v", token, got, err, want)
		}
	}
	for _, token := range []string{"1.0", "1e3", "true", "null", `"1"`, "9223372036854775808", "-9223372036854775809", "-"} {
		if _, err := jsondoc.ParseInt([]byte(token)); err != jsondoc.ErrNotInt {
			t.Errorf("ParseInt(%s) = %v", token, err)
		}
	}
	if n, err := jsondoc.ParseInt([]byte("-9223372036854775808")); n != math.MinInt64 || err != nil {
		t.Errorf("smallest int64 = %d, %v", n, err)
	}
	if n, err := jsondoc.ParseUint([]byte("18446744073709551615")); n != math.MaxUint64 || err != nil {
		t.Errorf("largest uint64 = %d, %v", n, err)
	}
}

func TestAppendDouble(t *testing.T) {
	for want, f := range map[string]float64{
		"3.0": 3, "-0.0": math.Copysign(0, -1), "1.100000023841858": float64(float32(1.1)), "1e-7": 1e-7, "0.000001": 1e-6,
		"1.5e-10": 1.5e-10, "100000000000000000000.0": 1e20, "1e21": 1e21, "3.4028234663852886e38": math.MaxFloat32,
		"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1), "5e-324": 5e-324,
	} {
		if got := string(jsondoc.AppendDouble(nil, f)); got != want {
			t.Errorf("AppendDouble(%v) = %s, want %s", f, got, want)
		}
	}
}

func TestAppendString(t *testing.T) {
	want := `"a\"\\\n\b\u001F/` + "\xff" + `é"`
	if got := string(jsondoc.AppendString(nil, "a\"\\\n\b\x1f/\xffé")); got != want {
		t.Errorf("AppendString = %s, want %s", got, want)
	}
}

// Parse accepts everything that encoding/json accepts, and reads the same values. No input makes it
// panic.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"id":"1","inputs":[{"name":"IN","shape":[1,3],"datatype":"INT32","data":[1,[2,-3.5e10],null,true]}]}`,
		`[[],{},"\ud83d\ude00\\",NaN,-Infinity]`, "[1", `{"a":{"b":[{"c":1},2]}}`, "\x00", `"\u12`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := jsondoc.Parse(text)
		if err != nil {
			if json.Valid(text) && !stricter(err) {
				t.Fatalf("%q is JSON, Parse says %v", text, err)
			}
			return
		}
		walk(v)
	})
}

// stricter names the texts that RapidJSON refuses and encoding/json accepts.
func stricter(err error) bool {
	var depth jsondoc.DepthError
	return err == depth || strings.Contains(err.Error(), "too big") || strings.Contains(err.Error(), "surrogate")
}

func walk(v *jsondoc.Value) {
	_, _ = v.Text()
	members, _ := v.Members()
	for i := range members {
		walk(&members[i].Value)
	}
	for i := range min(v.Len(), 100) {
		walk(v.At(i))
	}
	if v.Kind() != jsondoc.Array {
		return
	}
	for e := v.Elements(); ; {
		token, ok := e.Next()
		if !ok {
			return
		}
		_, _ = jsondoc.ParseInt(token)
		_, _ = jsondoc.ParseDouble(token)
	}
}

func BenchmarkFloats(b *testing.B) {
	text := []byte("[" + strings.Repeat("0.12345678,", 99999) + "1]")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		v, err := jsondoc.Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		for e := v.Elements(); ; {
			token, ok := e.Next()
			if !ok {
				break
			}
			if _, err := jsondoc.ParseDouble(token); err != nil {
				b.Fatal(err)
			}
		}
	}
}
