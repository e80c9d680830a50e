package rpc

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"conch/app/api"
	"conch/repo/write"
)

// TestPutBackKeepsWhatOthersWrote: when a write of several files fails, a file that it made is removed,
// but not when somebody has written it since.
func TestPutBackKeepsWhatOthersWrote(t *testing.T) {
	dir := t.TempDir()
	made := func(name string) pending {
		p := pending{asked: &api.FileWrite{Text: "ours"}, file: filepath.Join(dir, name)}
		if err := p.write(); err != nil {
			t.Fatal(err)
		}
		return p
	}
	list := []pending{made("untouched"), made("deleted"), made("theirs")}
	if err := errors.Join(os.Remove(list[1].file), os.WriteFile(list[2].file, []byte("theirs"), 0o600)); err != nil {
		t.Fatal(err)
	}
	var conflict *write.ConflictError
	if err := putBack(list); !errors.As(err, &conflict) || conflict.Path != list[2].file {
		t.Errorf("it says %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "theirs" {
		t.Errorf("left are %v, %v", entries, err)
	}
}
