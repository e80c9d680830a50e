package modelconfig_test

import (
	"testing"

	"conch/configedit/modelconfig"
)

const pathText = `name: "m"
input [
  { name: "a" dims: [ 1, -1 ] },
  { dims: "bad" dims: 7 dims: 8 }
]
input { name: "c" }
ensemble_scheduling {
  step { model_name: "s" input_map { key: "image" value: "old" } input_map { key: "image" value: "raw" } }
}
dynamic_batching { priority_queue_policy { key: 2 value { max_queue_size: 5 } } }
parameters { key: "k" value { string_value: "v" } }
max_batch_size: 0
max_batch_size: 4
`

func TestPaths(t *testing.T) {
	d, _ := modelconfig.Parse("config.pbtxt", []byte(pathText))
	step := []any{"ensemble_scheduling", "step", 0}
	for _, c := range []struct {
		path              []any
		value, name, full string
		has               bool
	}{
		{[]any{"name"}, `"m"`, "name", `name: "m"`, true},
		{[]any{"max_batch_size"}, "4", "max_batch_size", "max_batch_size: 4", true},
		{[]any{"input", 0, "dims", 1}, "-1", "dims", "dims: [ 1, -1 ]", true},
		{[]any{"input", 0, "dims"}, "[ 1, -1 ]", "dims", "dims: [ 1, -1 ]", true},
		{[]any{"input", 1, "dims", 0}, "7", "dims", "dims: 7", true},
		{[]any{"input", 1, "dims", 1}, "8", "dims", "dims: 8", true},
		{[]any{"input", 2, "name"}, `"c"`, "name", `name: "c"`, true},
		{append(step, "input_map", "image", "value"), `"raw"`, "value", `value: "raw"`, true},
		{append(step, "input_map", "image", "key"), `"image"`, "key", `key: "image"`, true},
		{[]any{"parameters", "k", "string_value"}, `"v"`, "string_value", `string_value: "v"`, true},
		{[]any{"parameters", "k", "value", "string_value"}, `"v"`, "string_value", `string_value: "v"`, true},
		// Absent: the nearest that exists.
		{[]any{"backend"}, `name: "m"`, `name: "m"`, `name: "m"`, false},
		{[]any{"input", 1, "name"}, "{", "{", "{", false},
		{[]any{"input", 2, "dims"}, "input", "input", "input", false},
		{[]any{"input", 7}, "input", "input", "input", false},
		{append(step, "model_version"), "step", "step", "step", false},
		{append(step, "output_map", "x"), "step", "step", "step", false},
		{append(step, "input_map", "x"), "input_map", "input_map", "input_map", false},
		{[]any{"no_such_field", 1}, `name: "m"`, `name: "m"`, `name: "m"`, false},
	} {
		if got := d.Has(c.path...); got != c.has {
			t.Errorf("has %v: %v", c.path, got)
		}
		for i, got := range []string{
			d.File.Slice(d.Span(c.path...)), d.File.Slice(d.NameSpan(c.path...)), d.File.Slice(d.FieldSpan(c.path...)),
		} {
			if want := []string{c.value, c.name, c.full}[i]; got != want {
				t.Errorf("%v: %q, want %q", c.path, got, want)
			}
		}
	}
	// It clashes with ensemble_scheduling and is skipped, but it is in the file
	// and what is inside it is not looked at.
	if !d.Has("dynamic_batching") || d.Has("dynamic_batching", "priority_queue_policy", uint64(2)) {
		t.Error("a field that was skipped is not found as a whole")
	}
	q, _ := modelconfig.Parse("q", []byte("dynamic_batching { priority_queue_policy { key: 2 value { max_queue_size: 5 } } }"))
	if span := q.Span("dynamic_batching", "priority_queue_policy", uint64(2), "max_queue_size"); q.File.Slice(span) != "5" {
		t.Errorf("by a numeric key: %q", q.File.Slice(span))
	}
}

func TestPathsOfEmptyFile(t *testing.T) {
	d, _ := modelconfig.Parse("config.pbtxt", nil)
	if s := d.Span("name"); !s.IsEmpty() || s.Start != 0 {
		t.Errorf("span in an empty file: %v", s)
	}
}
