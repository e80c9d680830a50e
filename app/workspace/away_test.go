//go:build unix

package workspace_test

import (
	"os"
	"strings"
	"testing"
)

// TestModelsStayWhileTheFolderIsAway: what the engine keeps serving stays in the window, which says what happened.
func TestModelsStayWhileTheFolderIsAway(t *testing.T) {
	root := repository(t, map[string]string{"digits": leaf, "add_sub": leaf})
	w := open(t, root, noEngine)
	r := follow(t, w)
	r.until(t, "both models are there", func() bool { return len(r.models) == 2 })
	for _, replace := range []bool{false, true} {
		if err := os.Rename(root, root+"-away"); err != nil {
			t.Fatal(err)
		}
		if replace {
			if err := os.Mkdir(root, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		w.Touch(root)
		r.until(t, "the window says that the folder is away", func() bool {
			return r.repository.Away && strings.Contains(r.repository.Trouble, root) && strings.Contains(r.repository.Trouble, "keeps serving")
		})
		if len(r.models) != 2 || r.repository.ModelCount != 2 {
			t.Errorf("replaced %v: %d models are left of 2", replace, len(r.models))
		}
		if err := os.RemoveAll(root); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(root+"-away", root); err != nil {
			t.Fatal(err)
		}
		w.Touch(root)
		r.until(t, "the folder is back", func() bool { return !r.repository.Away && r.repository.Trouble == "" })
		if len(r.models) != 2 {
			t.Errorf("%d models are back of 2", len(r.models))
		}
	}
}
