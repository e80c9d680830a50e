//go:build unix

package app_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
	"conch/app/store"
)

// holdHistory has another program lock the history until release is called.
func holdHistory(t *testing.T, dataDir string) (release func()) {
	t.Helper()
	other, err := sql.Open("sqlite", filepath.Join(dataDir, store.FileName)+"?_txlock=exclusive")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	tx, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
	}
}

// untilInFile waits until a text is in a recovery file.
func untilInFile(t *testing.T, dataDir, text string) {
	t.Helper()
	end := time.Now().Add(30 * time.Second)
	for {
		files, _ := filepath.Glob(filepath.Join(dataDir, "unsaved-*.json"))
		for _, file := range files {
			if content, err := os.ReadFile(file); err == nil && strings.Contains(string(content), text) {
				return
			}
		}
		if time.Now().After(end) {
			t.Fatalf("%q is in none of %v", text, files)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// TestTypedWhileTheHistoryIsLocked: what is typed while another program has the history locked
// outlives kill -9, and so does what was unsaved before. Both are there until one is chosen.
func TestTypedWhileTheHistoryIsLocked(t *testing.T) {
	root, dataDir := apptest.CopyExamples(t), t.TempDir()
	saved := apptest.ReadFile(t, filepath.Join(root, "digits", "config.pbtxt"))
	first := openWith(t, app.Options{Repositories: []string{root}, DataDir: dataDir})
	first.typed(t, root, "digits", saved+"# an hour of typing", 0)
	first.Close()

	release := holdHistory(t, dataDir)
	w, kill := openChild(t, root, dataDir)
	if d := w.read(t, "digits").Draft; d != nil {
		t.Fatalf("read from a file that is locked: %v", d)
	}
	w.typed(t, root, "digits", saved+"# xy", 0)
	untilInFile(t, dataDir, "# xy")
	kill()

	second, killAgain := openChild(t, root, dataDir) // the history is still locked
	if d := second.read(t, "digits").Draft; d.GetText() != saved+"# xy" {
		t.Errorf("after a kill it is %v", d)
	}
	second.typed(t, root, "digits", saved+"# xyz", second.read(t, "digits").Draft.GetVersion())
	untilInFile(t, dataDir, "# xyz")
	killAgain()

	third := openWith(t, app.Options{Repositories: []string{root}, DataDir: dataDir})
	release()
	third.Until(t, "both are there", func(*apptest.Snapshot) bool {
		found := third.read(t, "digits")
		return found.Draft.GetText() == saved+"# xyz" && found.Rival.GetText() == saved+"# an hour of typing"
	})
	found := third.read(t, "digits")
	apptest.Call(t, third.Editor.DiscardDrafts, &api.DiscardDraftsRequest{Versions: []uint64{found.Rival.Version}})
	third.Close()

	last := openWith(t, app.Options{Repositories: []string{root}, DataDir: dataDir})
	if found := last.read(t, "digits"); found.Draft.GetText() != saved+"# xyz" || found.Rival != nil {
		t.Errorf("chosen was the newer: %v", found)
	}
	if left, _ := filepath.Glob(filepath.Join(dataDir, "unsaved-*.json")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// TestTypedWithoutAHistory: where the history cannot be opened at all, unsaved texts are still kept.
func TestTypedWithoutAHistory(t *testing.T) {
	root, dataDir := apptest.CopyExamples(t), t.TempDir()
	if err := os.Mkdir(filepath.Join(dataDir, store.FileName), 0o700); err != nil {
		t.Fatal(err)
	}
	text := apptest.ReadFile(t, filepath.Join(root, "digits", "config.pbtxt")) + "# mine"
	first := openWith(t, app.Options{Repositories: []string{root}, DataDir: dataDir})
	first.typed(t, root, "digits", text, 0)
	first.Close()
	next := openWith(t, app.Options{Repositories: []string{root}, DataDir: dataDir})
	if d := next.read(t, "digits").Draft; d.GetText() != text {
		t.Errorf("it is %v", d)
	}
}
