package agreement_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"conch/engine/agreement"
)

func fp32(shape []int64, values ...float32) agreement.Tensor {
	t := agreement.Tensor{Datatype: "FP32", Shape: shape}
	for _, v := range values {
		t.Raw = binary.LittleEndian.AppendUint32(t.Raw, math.Float32bits(v))
	}
	return t
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

// The differences of scores: the largest ones, the angle, and the rows that choose another class.
func TestScores(t *testing.T) {
	shape := []int64{2, 3}
	d, err := agreement.Compare(fp32(shape, 1, 2, 3, 0, 5, 4), fp32(shape, 1, 2, 3.5, 0, 3, 4))
	if err != nil {
		t.Fatal(err)
	}
	cosine := (1 + 4 + 10.5 + 15 + 16) / math.Sqrt(55) / math.Sqrt(1+4+12.25+9+16)
	if d.Elements != 6 || d.Equal != 4 || d.Rows != 2 || d.SameRows != 1 || !near(d.Absolute, 2) || !near(d.Relative, 0.4) || !near(d.Cosine, cosine) {
		t.Errorf("%+v, cosine %v", d, cosine)
	}
	more, err := agreement.Compare(fp32(shape, 1, 2, 3, 0, 5, 4), fp32(shape, 1, 2, 3, 0, 5, 4))
	if err != nil || more.Cosine != 1 || more.SameRows != 2 {
		t.Errorf("the same: %+v, %v", more, err)
	}
	d.Add(more)
	if d.Elements != 12 || d.Rows != 4 || d.SameRows != 3 || !near(d.Absolute, 2) || d.Cosine <= cosine {
		t.Errorf("both: %+v", d)
	}
}

// A picture has colours in its last dimension, which choose no class. A dimension of one between the items and their scores is nothing.
func TestWhatIsNoScores(t *testing.T) {
	for _, c := range []struct {
		shape []int64
		rows  int64
	}{{[]int64{1, 2, 2, 3}, 0}, {[]int64{2, 2, 3}, 0}, {[]int64{4, 1, 3}, 4}, {[]int64{12}, 1}, {[]int64{12, 1}, 0}} {
		a := fp32(c.shape, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
		if d, err := agreement.Compare(a, a); err != nil || d.Rows != c.rows {
			t.Errorf("%v has %d rows of scores, %v; want %d", c.shape, d.Rows, err, c.rows)
		}
	}
}

// Nearly nothing beside a large value has no relative difference, and what is infinite on one side is counted.
func TestOddValues(t *testing.T) {
	d, err := agreement.Compare(fp32([]int64{4}, 1000, 0.001, 1, float32(math.NaN())), fp32([]int64{4}, 1000, 0.002, float32(math.Inf(1)), float32(math.NaN())))
	if err != nil || d.Odd != 1 || d.Relative != 0 || !near(d.Absolute, 0.001) || d.Equal != 2 {
		t.Errorf("%+v, %v", d, err)
	}
	if d, _ := agreement.Compare(fp32([]int64{2}, 0, 0), fp32([]int64{2}, 0, 0)); !math.IsNaN(d.Cosine) || d.Equal != 2 {
		t.Errorf("zeros: %+v", d)
	}
}

// Every type is read as its values are, and none is scores but floating-point numbers.
func TestTypes(t *testing.T) {
	for datatype, raw := range map[string][2][]byte{
		"BOOL": {{1}, {0}}, "UINT8": {{200}, {199}}, "INT8": {{0xff}, {0}}, "UINT16": {{1, 1}, {0, 1}}, "INT16": {{0xff, 0xff}, {0, 0}},
		"UINT32": {{0, 0, 0, 0}, {1, 0, 0, 0}}, "INT32": {{0xff, 0xff, 0xff, 0xff}, {0, 0, 0, 0}}, "INT64": {{1, 0, 0, 0, 0, 0, 0, 0}, {2, 0, 0, 0, 0, 0, 0, 0}},
		"UINT64": {{1, 0, 0, 0, 0, 0, 0, 0}, {2, 0, 0, 0, 0, 0, 0, 0}}, "FP16": {{0, 0x3c}, {0, 0x40}}, "BF16": {{0x80, 0x3f}, {0, 0x40}},
		"FP64": {{0, 0, 0, 0, 0, 0, 0xf0, 0x3f}, {0, 0, 0, 0, 0, 0, 0, 0x40}},
	} {
		d, err := agreement.Compare(agreement.Tensor{datatype, []int64{1}, raw[0]}, agreement.Tensor{datatype, []int64{1}, raw[1]})
		if err != nil || d.Absolute != 1 || d.Elements != 1 || d.Rows != 0 {
			t.Errorf("%s: %+v, %v", datatype, d, err)
		}
	}
	text := agreement.Tensor{Datatype: "BYTES", Shape: []int64{2}, Raw: []byte("\x01\x00\x00\x00a\x02\x00\x00\x00bc")}
	other := agreement.Tensor{Datatype: "BYTES", Shape: []int64{2}, Raw: []byte("\x01\x00\x00\x00a\x02\x00\x00\x00bd")}
	if d, err := agreement.Compare(text, other); err != nil || d.Elements != 2 || d.Equal != 1 {
		t.Errorf("texts: %+v, %v", d, err)
	}
}

// What cannot be compared is said.
func TestRefusals(t *testing.T) {
	for want, pair := range map[string][2]agreement.Tensor{
		"one is FP32 and the other FP16":      {fp32([]int64{1}, 1), {Datatype: "FP16", Shape: []int64{1}}},
		"one has shape [1] and the other [2]": {fp32([]int64{1}, 1), fp32([]int64{2}, 1, 2)},
		"values of type FP8 are not compared": {{Datatype: "FP8"}, {Datatype: "FP8"}},
	} {
		if _, err := agreement.Compare(pair[0], pair[1]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
