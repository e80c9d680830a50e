package near_test

import (
	"strings"
	"testing"

	"conch/configedit/near"
)

// TestDistance: letters that are inserted, dropped and replaced count one each, and so does a pair of them that is turned round; long words are not compared.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"onnx", "onnx", 0}, {"onnx", "onx", 1}, {"onx", "onnx", 1}, {"fp32", "FP32", 2}, {"kaldi", "dali", 2}, {"pyhton", "python", 1}, {"ab", "ba", 1}, {"abc", "ca", 3}} {
		if got := near.Distance(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
	if long := strings.Repeat("a", 10_000); near.Distance(long, long+"b") < 100 {
		t.Error("two words of ten thousand letters were compared")
	}
}
