package workspace

import (
	"fmt"
	"testing"
)

func TestCPUThatIsUsedIsNotZero(t *testing.T) {
	for n, want := range map[float64]string{
		0: "0", 0.0004: "0.01", 0.034: "0.02", 0.2: "0.2", 0.24: "0.2", 0.31: "0.2", 0.4: "0.5", 0.9: "1", 1.2: "1", 41.6: "42", 612: "612",
	} {
		if got := fmt.Sprintf("%.3g", roundPercent(n)); got != want {
			t.Errorf("%v is told as %s, want %s", n, got, want)
		}
	}
}
