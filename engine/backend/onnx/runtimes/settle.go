package runtimes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"conch/engine/filelock"
)

// published returns the build of an offer that is installed and works. It refuses one that was taken from elsewhere, for which nothing published vouches.
func (s *Store) published(ctx context.Context, id string) (Installed, error) {
	before, report, works, err := s.works(ctx, id)
	if err == nil && works && before.Doubt() != "" {
		return Installed{}, fmt.Errorf("%s is here already, but it was taken from %s, and no published hash was compared with that. "+
			"To download the published one, remove it first with `conch runtime remove %s`", id, before.Source, id)
	}
	return Installed{before, report, works}, err
}

// settle moves a whole build to its place, unless it is there.
func (s *Store) settle(ctx context.Context, b Build, dir string) (Build, bool, error) {
	if !goodID.MatchString(b.ID) {
		return b, false, fmt.Errorf("%q, its name and its version, cannot be the name of a folder: give the build another name, as in `conch runtime install NAME --from …`", b.ID)
	}
	if before, there, err := s.there(ctx, b, dir); there || err != nil {
		return before, there, err
	}
	if err := b.write(dir); err != nil {
		return b, false, err
	}
	if err := context.Cause(ctx); err != nil {
		return b, false, err
	}
	to := filepath.Join(s.builds(), b.ID)
	if err := os.Rename(dir, to); err != nil {
		if before, there, err := s.there(ctx, b, dir); there || err != nil { // of another machine, whose turn this one does not see
			return before, there, err
		}
		if filelock.InUse(filepath.Join(to, usesName)) {
			return b, false, fmt.Errorf("%s is here and does not work, and is not replaced: %w", b.ID, ErrInUse)
		}
		if err := errors.Join(os.RemoveAll(to), os.Rename(dir, to)); err != nil { // what is there is not whole
			return b, false, err
		}
	}
	b.Library = filepath.Join(to, LibraryName())
	return b, false, nil
}

// write writes what a build says of itself into its folder.
func (b Build) write(dir string) error {
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return replace(filepath.Join(dir, wholeName), string(text)+"\n")
}

// there returns the build that is installed under the name of a new one, and works. It is the same one: another one is refused.
func (s *Store) there(ctx context.Context, b Build, dir string) (Build, bool, error) {
	before, _, works, err := s.works(ctx, b.ID)
	if !works || err != nil {
		return b, false, err
	}
	old := filepath.Dir(before.Library)
	same, err := sameFiles(ctx, old, dir)
	switch {
	case err != nil:
		return b, false, err
	case !same:
		return b, false, fmt.Errorf("%s is here already, and it is another build: it was taken from %s. Remove it first with `conch runtime remove %s`, "+
			"or give the new one another name, as in `conch runtime install NAME --from …`", b.ID, before.Source, b.ID)
	}
	if before.Doubt() != "" && b.Doubt() == "" { // now something vouches for it
		before.Unproven = nil
		err = before.write(old)
	}
	return before, true, err
}

// works returns a build that is installed and can be opened. One that was damaged since is as good as none: a new one takes its place.
func (s *Store) works(ctx context.Context, id string) (Build, Report, bool, error) {
	b, err := s.usable(id)
	if err != nil {
		return Build{}, Report{}, false, nil
	}
	r, err := s.Ask(ctx, b.Library)
	if ctx.Err() != nil {
		return Build{}, Report{}, false, context.Cause(ctx)
	}
	if errors.Is(err, ErrStopped) {
		return Build{}, Report{}, false, err
	}
	return b, r, err == nil, nil
}

// sameFiles reports whether two builds have the same files.
func sameFiles(ctx context.Context, a, b string) (bool, error) {
	ours, err := sizes(a)
	if err != nil {
		return false, err
	}
	theirs, err := sizes(b)
	if err != nil || !maps.Equal(ours, theirs) {
		return false, err
	}
	for name := range ours {
		if same, err := sameContent(ctx, filepath.Join(a, name), filepath.Join(b, name)); !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

// sizes are the files of a build, without what the store itself writes there.
func sizes(dir string) (map[string]int64, error) {
	entries, err := os.ReadDir(dir)
	list := map[string]int64{}
	for _, entry := range entries {
		info, failed := entry.Info()
		ours := entry.Name() == wholeName || strings.HasPrefix(entry.Name(), newPrefix) // of a process that was killed while it wrote
		if err = errors.Join(err, failed); failed == nil && info.Mode().IsRegular() && !ours {
			list[entry.Name()] = info.Size()
		}
	}
	return list, err
}

// sameContent compares two files of one size, until ctx ends.
func sameContent(ctx context.Context, a, b string) (bool, error) {
	one, err := os.Open(a)
	if err != nil {
		return false, err
	}
	defer func() { _ = one.Close() }()
	other, err := os.Open(b)
	if err != nil {
		return false, err
	}
	defer func() { _ = other.Close() }()
	left, right := make([]byte, compared), make([]byte, compared)
	for {
		n, err := io.ReadFull(reading{ctx, one}, left)
		m, failed := io.ReadFull(other, right)
		ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		switch {
		case err != nil && !ended:
			return false, err
		case failed != nil && !errors.Is(failed, io.EOF) && !errors.Is(failed, io.ErrUnexpectedEOF):
			return false, failed
		case !bytes.Equal(left[:n], right[:m]):
			return false, nil
		case ended:
			return true, nil
		}
	}
}

// compared is how many bytes of two files are compared at once.
const compared = 1 << 20
