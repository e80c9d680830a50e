package answers_test

import (
	"bytes"
	"testing"
	"time"

	"conch/app/answers"
)

// A page of BYTES takes a few steps for each element, in whatever order the elements are asked for. To
// keep the tensor takes one step for each.
func TestReadingBytesIsAsFastAsWalkingThem(t *testing.T) {
	const side = 1024
	raw := bytes.Repeat(texts("x"), side*side)
	var kept answers.Kept
	var walk, read time.Duration
	for range 5 { // one of them is not held up by the machine's other work
		begun := time.Now()
		tensor := kept.Keep(owner, "BYTES", raw)
		walk = time.Since(begun)
		begun = time.Now()
		part, err := tensor.Read(answers.Grid{Rows: side, RowStride: 1, Columns: side, ColumnStride: side})
		read = time.Since(begun)
		if err != nil || !bytes.Equal(part.Raw, raw) {
			t.Fatalf("%v", err)
		}
		if read <= 40*walk {
			return
		}
	}
	t.Errorf("reading takes %v, walking all elements once %v", read, walk)
}

// Half a million answers take a second, and more than a minute where each one moves all of them.
func TestManySmallAnswersAreKeptInLinearTime(t *testing.T) {
	var kept answers.Kept
	begun := time.Now()
	for range 500_000 {
		kept.Keep(owner, "UINT8", []byte{1})
	}
	if took := time.Since(begun); took > 40*time.Second {
		t.Errorf("keeping 500,000 answers took %v", took)
	}
}

// Small answers take memory too: that of the tensor itself and of the index counts.
func TestOverheadCounts(t *testing.T) {
	defer answers.SetMost(1 << 20)()
	var kept answers.Kept
	find := func(source uint64) error {
		_, err := kept.Find(source)
		return err
	}
	for range 10_000 {
		kept.Keep(owner, "UINT8", nil)
	}
	if find(10_000) != nil || find(9_000) != nil || find(5_000) == nil {
		t.Errorf("of 10,000 empty answers the newest is %v, one of the last thousand %v, an old one %v", find(10_000), find(9_000), find(5_000))
	}
	small := kept.Keep(owner, "UINT8", make([]byte, 100))
	kept.Keep(owner, "BYTES", make([]byte, 1000<<10)) // and its index
	if find(small.Source) == nil {
		t.Error("the index of a tensor does not count")
	}
}
