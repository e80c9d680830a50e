//go:build unix

package workspace_test

import (
	"errors"
	"testing"

	"conch/app/overlay"
	"conch/app/workspace"
)

// TestStay: opening another repository waits for the users of this one. All their steps are on this
// one, at whatever step the other was requested.
func TestStay(t *testing.T) {
	file := workspace.File{Model: "digits", Path: "config.pbtxt"}
	onDisk, saved := overlay.Base{Version: "v", Text: leaf}, overlay.Base{Version: "v2", Text: leaf + "# a"}
	const steps = 4
	for seam := range steps {
		a, b := repository(t, map[string]string{"digits": leaf}), repository(t, map[string]string{"digits": leaf, "numbers": leaf})
		w := open(t, a, noEngine)
		stay, err := w.Stay("")
		if err != nil {
			t.Fatal(err)
		}
		opened := make(chan error, 1)
		for step, do := range [steps]func(){
			func() {
				if m, ok := stay.Disk().Model("digits"); !ok || m.Scan.Root != a {
					t.Errorf("seam %d: the model is %v", seam, m)
				}
			},
			func() {
				if _, err := stay.Edit(file, overlay.Edit{Text: saved.Text, Base: onDisk}); err != nil {
					t.Errorf("seam %d: %v", seam, err)
				}
			},
			func() {
				m, _ := stay.Disk().Model("digits")
				stay.RenameDrafts(m.Scan, "numbers")
				if d, ok := stay.Draft(workspace.File{Model: "numbers", Path: "config.pbtxt"}); !ok || d.Text != saved.Text || d.Root != overlay.RealRoot(a) {
					t.Errorf("seam %d: the moved draft is %v", seam, d)
				}
			},
			func() {
				if stay.Saved(workspace.File{Model: "numbers", Path: "config.pbtxt"}, saved, overlay.Part{}); stay.Key() != a {
					t.Errorf("seam %d: the history is that of %s", seam, stay.Key())
				}
			},
		} {
			if step == seam {
				go func() { opened <- w.Open(t.Context(), []string{b}) }()
				for { // until it waits
					other, err := w.Stay("")
					if errors.Is(err, workspace.ErrOtherRepository) {
						break
					}
					other.End()
				}
			}
			do()
			if step >= seam {
				select {
				case err := <-opened:
					t.Fatalf("seam %d: another repository was opened in between: %v", seam, err)
				default:
				}
			}
		}
		id := stay.ID()
		stay.End()
		if err := <-opened; err != nil {
			t.Fatal(err)
		}
		for _, model := range []string{"digits", "numbers"} {
			if d, ok := w.Draft(workspace.File{Model: model, Path: "config.pbtxt"}); ok {
				t.Errorf("seam %d: the other repository has %v", seam, d)
			}
		}
		if _, err := w.Stay(id); !errors.Is(err, workspace.ErrOtherRepository) {
			t.Errorf("seam %d: used again: %v", seam, err)
		}
		if err := w.Open(t.Context(), []string{a}); err != nil {
			t.Fatal(err)
		}
		if d, ok := w.Draft(workspace.File{Model: "numbers", Path: "config.pbtxt"}); ok {
			t.Errorf("seam %d: what was saved is still a draft: %v", seam, d)
		}
	}
}
