package fulldisk

import (
	"os"
	"testing"
)

// TestSkippedInANamespace: a test that was skipped in the other process is skipped; one that ran there
// is not.
func TestSkippedInANamespace(t *testing.T) {
	for _, skips := range []bool{true, false} {
		name, skipped, failed := "runs", false, ""
		if skips {
			name = "skips"
		}
		t.Run(name, func(t *testing.T) {
			t.Cleanup(func() { skipped = t.Skipped() })
			if os.Getenv(child) == "" {
				if failed = noNamespace(); failed == "" {
					runInNamespace(t)
				}
				return
			}
			reportRun(t)
			if skips {
				t.Skip("as where nothing may be mounted")
			}
		})
		if failed != "" {
			t.Skip(failed)
		}
		if os.Getenv(child) == "" && skipped != skips {
			t.Errorf("%s: skipped %v", name, skipped)
		}
	}
}

// noNamespace says why no user namespace can be made here; "" where one can be made.
func noNamespace() string {
	cmd := inNamespace("-test.run=^$")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "no user namespace can be made here: " + err.Error() + " " + string(out)
	}
	return ""
}
