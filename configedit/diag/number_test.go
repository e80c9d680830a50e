package diag_test

import (
	"fmt"
	"testing"

	"conch/configedit/diag"
)

func TestNumbersAreGrouped(t *testing.T) {
	for n, want := range map[diag.Number]string{0: "0", 999: "999", 1000: "1,000", 183726: "183,726", 4000000: "4,000,000", 1<<64 - 1: "18,446,744,073,709,551,615"} {
		if got := fmt.Sprint(n); got != want {
			t.Errorf("%d is written %s, want %s", uint64(n), got, want)
		}
	}
}
