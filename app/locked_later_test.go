//go:build unix

package app_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/apptest"
	"conch/app/store"
)

// lockHistory has another program take a lock of the history that a workbench has open.
func lockHistory(t *testing.T, dataDir, begin string) {
	t.Helper()
	other, err := sql.Open("sqlite", filepath.Join(dataDir, store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	other.SetMaxOpenConns(1)
	if _, err := other.ExecContext(t.Context(), begin); err != nil {
		t.Fatal(err)
	}
}

// typedUnderLock opens a workbench, has another program lock its history, and types a text, which is in a
// recovery file then.
func typedUnderLock(t *testing.T, begin string) (c *childRun, root, dataDir, text string) {
	t.Helper()
	root, dataDir = apptest.CopyExamples(t), t.TempDir()
	text = apptest.ReadFile(t, filepath.Join(root, "digits", "config.pbtxt")) + "# x"
	c = startChild(t, root, dataDir)
	c.Until(t, "all are ready", apptest.AllReady)
	lockHistory(t, dataDir, begin)
	c.typed(t, root, "digits", text, 0)
	untilInFile(t, dataDir, "# x")
	return c, root, dataDir, text
}

// eachLock runs a test with both locks that another program can take while the history is open.
func eachLock(t *testing.T, run func(t *testing.T, begin string)) {
	for _, begin := range []string{"BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"} {
		t.Run(begin, func(t *testing.T) { run(t, begin) })
	}
}

// TestKilledAfterTheHistoryWasLocked: while another program has the history of a running workbench
// locked, a text is in a recovery file before settings that wait for the lock have failed, and it
// outlives kill -9.
func TestKilledAfterTheHistoryWasLocked(t *testing.T) {
	eachLock(t, func(t *testing.T, begin string) {
		c, root, dataDir, text := typedUnderLock(t, begin)
		const settings = 3 // one after another they wait for seconds
		set := make(chan error, settings)
		for range settings {
			go func() {
				_, err := c.Workspace.SetSettings(t.Context(), connect.NewRequest(&api.SetSettingsRequest{Values: map[string]string{"theme": `"dark"`}}))
				set <- err
			}()
		}
		c.typed(t, root, "digits", text+"y", c.read(t, "digits").Draft.GetVersion())
		untilInFile(t, dataDir, "# xy")
		if len(set) == settings {
			t.Error("the unsaved text waited for the lock as long as the settings")
		}
		c.kill()
		for range settings {
			if err := <-set; err == nil {
				t.Error("the setting is in a history that is locked")
			}
		}
		next, _ := openChild(t, root, dataDir)
		if d := next.read(t, "digits").Draft; d.GetText() != text+"y" {
			t.Errorf("after a kill it is %v", d)
		}
	})
}

// TestEndedAfterTheHistoryWasLocked: a workbench whose history another program has locked ends in order
// and keeps the unsaved texts.
func TestEndedAfterTheHistoryWasLocked(t *testing.T) {
	eachLock(t, func(t *testing.T, begin string) {
		c, root, dataDir, text := typedUnderLock(t, begin)
		if status, said := c.end(t); status != 0 {
			t.Errorf("it ends with %d: %s", status, said)
		}
		next, _ := openChild(t, root, dataDir)
		if d := next.read(t, "digits").Draft; d.GetText() != text {
			t.Errorf("after the end it is %v", d)
		}
	})
}
