package workspace_test

import (
	"errors"
	"testing"

	"conch/app/overlay"
	"conch/app/workspace"
)

// TestPinnedRepository: steps of a change that began in one repository do nothing in another that was opened meanwhile.
func TestPinnedRepository(t *testing.T) {
	a, b := repository(t, map[string]string{"digits": leaf}), repository(t, map[string]string{"digits": leaf})
	w := open(t, a, noEngine)
	id, disk, err := w.Pin("")
	if err != nil || id == "" {
		t.Fatal(id, err)
	}
	if err := w.Open(t.Context(), []string{b}); err != nil {
		t.Fatal(err)
	}
	if m, ok := disk.Model("digits"); !ok || m.Scan.Root != a {
		t.Errorf("the model is %v", m)
	}
	base := overlay.Base{Version: "v", Text: leaf}
	mine, err := w.Edit(workspace.File{Model: "digits", Path: "config.pbtxt"}, overlay.Edit{Text: leaf + "# b", Base: base})
	if err != nil {
		t.Fatal(err)
	}
	pinned := workspace.File{Repository: id, Model: "digits", Path: "config.pbtxt"}
	w.Saved(pinned, base, overlay.Part{Version: mine.Version})
	if d, ok := w.Draft(workspace.File{Model: "digits", Path: "config.pbtxt"}); !ok || d.Version != mine.Version {
		t.Errorf("a file saved in another repository took the draft: %v", d)
	}
	if _, ok := w.Draft(pinned); ok {
		t.Error("the draft is taken for one of the other repository")
	}
	if _, _, err := w.Pin(id); !errors.Is(err, workspace.ErrOtherRepository) {
		t.Errorf("pinned again: %v", err)
	}
}
