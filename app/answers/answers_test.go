package answers_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"conch/app/answers"
)

var owner = answers.Owner{Repository: "r", Model: "m"}

func uint16s(values ...uint16) []byte {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint16(raw, v)
	}
	return raw
}

func texts(values ...string) []byte {
	var raw []byte
	for _, v := range values {
		raw = append(binary.LittleEndian.AppendUint32(raw, uint32(len(v))), v...)
	}
	return raw
}

// A tensor of shape [2, 3, 4] whose elements are their own places.
func TestReadGrid(t *testing.T) {
	var kept answers.Kept
	var raw []byte
	for i := range uint16(24) {
		raw = append(raw, uint16s(i)...)
	}
	tensor := kept.Keep(owner, "UINT16", raw)
	if tensor.Count != 24 {
		t.Fatalf("%d elements", tensor.Count)
	}
	for name, c := range map[string]struct {
		grid answers.Grid
		want []byte
	}{
		"a part of the last two axes": {answers.Grid{Start: 12 + 4 + 1, Rows: 2, RowStride: 4, Columns: 2, ColumnStride: 1}, uint16s(17, 18, 21, 22)},
		"the first axis across":       {answers.Grid{Start: 5, Rows: 2, RowStride: 4, Columns: 2, ColumnStride: 12}, uint16s(5, 17, 9, 21)},
		"over the end":                {answers.Grid{Start: 22, Rows: 3, RowStride: 4, Columns: 4, ColumnStride: 1}, uint16s(22, 23)},
		"behind the end":              {answers.Grid{Start: 99, Rows: 3, RowStride: 4, Columns: 4, ColumnStride: 1}, nil},
		"a stride that overflows":     {answers.Grid{Start: 23, Rows: 2, RowStride: 1 << 63, Columns: 2, ColumnStride: 1 << 63}, uint16s(23)},
	} {
		got, err := tensor.Read(c.grid)
		if err != nil || !bytes.Equal(got.Raw, c.want) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, c.want)
		}
	}
	if _, err := tensor.Read(answers.Grid{Rows: 1 << 40, Columns: 1 << 40}); err == nil {
		t.Error("a read without bounds is allowed")
	}
}

func TestReadBytes(t *testing.T) {
	var kept answers.Kept
	words := make([]string, 1000)
	for i := range words {
		words[i] = strings.Repeat("x", i%7)
	}
	words[700] = strings.Repeat("long", 5000)
	tensor := kept.Keep(owner, "BYTES", append(texts(words...), 9, 0, 0, 0, 'c', 'u', 't'))
	if tensor.Count != 1000 {
		t.Fatalf("%d elements", tensor.Count)
	}
	got, err := tensor.Read(answers.Grid{Start: 500, Rows: 2, RowStride: 13, Columns: 2, ColumnStride: 1})
	if want := texts(words[500], words[501], words[513], words[514]); err != nil || !bytes.Equal(got.Raw, want) || got.Sizes != nil {
		t.Errorf("%v, %v; want %q", got, err, want)
	}
	got, err = tensor.Read(answers.Grid{Start: 700, Rows: 1, Columns: 2, ColumnStride: 1})
	if err != nil || len(got.Raw) > 5000 || len(got.Sizes) != 2 || got.Sizes[0] != 20_000 || got.Sizes[1] != uint64(len(words[701])) {
		t.Errorf("a long element: %d bytes, sizes %v, %v", len(got.Raw), got.Sizes, err)
	}
}

func TestOnlyTheNewestAreKept(t *testing.T) {
	var kept answers.Kept
	find := func(tensor *answers.Tensor) error {
		_, err := kept.Find(tensor.Source)
		return err
	}
	large := make([]byte, 300<<20)
	other := answers.Owner{Repository: "r", Model: "other"}
	first := kept.Keep(owner, "UINT8", large)
	second := kept.Keep(other, "UINT8", large)
	if find(first) == nil || find(second) != nil {
		t.Error("the older of two that are too large together is to go")
	}
	third := kept.Keep(owner, "UINT8", large[:1])
	kept.Begin(other)
	if !errors.Is(find(second), answers.ErrGone) || find(third) != nil {
		t.Error("a new request of a model ends what was kept of its last one, and nothing else")
	}
	kept.Begin(answers.Owner{Repository: "s", Model: "m"})
	if !errors.Is(find(third), answers.ErrGone) {
		t.Error("nothing is kept of another repository")
	}
}

// A grid without columns has no elements, however many rows it has.
func TestNoColumns(t *testing.T) {
	var kept answers.Kept
	part, err := kept.Keep(answers.Owner{}, "INT32", make([]byte, 16)).Read(answers.Grid{Rows: 1 << 62})
	if err != nil || len(part.Raw) != 0 {
		t.Errorf("%+v, %v", part, err)
	}
}
