package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Parked is a draft outside the database: while that cannot be used, or has another text of the same file.
type Parked struct {
	Draft
	// Over is the version of the draft in the database that this one goes on from; 0 for none.
	Over uint64
}

// parkedFile is the content of a file of parked drafts. It names the root for people: the file's name is only made of it.
type parkedFile struct {
	Root   string
	Drafts []parkedDraft
}

type parkedDraft struct {
	Path, Text, BaseVersion, BaseText string
	Version, Over                     uint64
	Changed                           time.Time
}

// Park replaces the parked drafts of a root, in a file of their own beside the database. The file is whole at any time.
func (s *Store) Park(root string, list []Parked) error {
	path := s.parkedPath(root)
	s.parkMu.Lock()
	defer s.parkMu.Unlock()
	if why := s.unread[root]; why != nil {
		return why
	}
	if len(list) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove unsaved texts that are in the history now: %w", err)
		}
		return nil
	}
	content := parkedFile{Root: root}
	for _, p := range list {
		content.Drafts = append(content.Drafts, parkedDraft{
			Path: p.Path, Text: p.Text, BaseVersion: p.BaseVersion, BaseText: p.BaseText, Version: p.Version, Over: p.Over, Changed: p.Changed,
		})
	}
	text, err := json.Marshal(content)
	if err == nil {
		err = writeWhole(path, text)
	}
	if err != nil {
		return fmt.Errorf("write unsaved texts beside the history: %w", err)
	}
	return nil
}

// Parked gives the drafts of a root that Park wrote, in whichever run. A file that cannot be understood is moved aside; one
// that cannot be read stays, and Park refuses to write over it.
func (s *Store) Parked(root string) ([]Parked, error) {
	path := s.parkedPath(root)
	s.parkMu.Lock()
	defer s.parkMu.Unlock()
	delete(s.unread, root)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var content parkedFile
	if err == nil {
		if err = json.Unmarshal(text, &content); err != nil {
			aside := fmt.Sprintf("%s.damaged-%s", path, s.now().UTC().Format("20060102T150405.000"))
			if moved := os.Rename(path, aside); moved == nil {
				return nil, fmt.Errorf("%s is damaged and was moved to %s: %w", path, filepath.Base(aside), err)
			}
		}
	}
	if err != nil {
		s.unread[root] = fmt.Errorf("the unsaved texts in %s cannot be read, and nothing is written over them; make the file readable, or move it away, and open the repository again: %w", path, err)
		return nil, s.unread[root]
	}
	var list []Parked
	for _, d := range content.Drafts {
		list = append(list, Parked{Over: d.Over, Draft: Draft{
			Root: root, Path: d.Path, Text: d.Text, BaseVersion: d.BaseVersion, BaseText: d.BaseText, Version: d.Version, Changed: d.Changed,
		}})
	}
	return list, nil
}

func (s *Store) parkedPath(root string) string {
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(s.parkDir, "unsaved-"+hex.EncodeToString(sum[:16])+".json")
}

// writeWhole puts a private file in the place of another; whoever reads finds the one or the other, after a power cut too.
func writeWhole(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // of mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
