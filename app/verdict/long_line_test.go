package verdict_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/app/verdict"
	"conch/configedit/check/checktest"
)

// TestLongLine: what is shown of a line does not depend on how long it is, and a long line takes time in proportion to its length.
func TestLongLine(t *testing.T) {
	checktest.Linear(t, 5_000, func(count int) func() {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "m", "1"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "m", "config.pbtxt"), []byte(strings.Repeat(`parameters { key:"ä" value { `, count)), 0o600); err != nil {
			t.Fatal(err)
		}
		return func() {
			var out bytes.Buffer
			if status := verdict.Run(t.Context(), []string{dir}, verdict.Options{}, &out); status == 0 {
				t.Error("nothing is wrong")
			}
			for line := range strings.Lines(out.String()) {
				if len(line) > 1000 {
					t.Fatalf("a line of %d bytes", len(line))
				}
			}
		}
	})
}
