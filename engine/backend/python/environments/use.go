package environments

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"conch/engine/filelock"
)

// keptUnused is how long an environment is kept that nobody uses.
const keptUnused = 60 * 24 * time.Hour

// usesName is the folder in an environment with a file of each process that uses it.
const usesName = "conch-uses"

// ErrInUse is why an environment is not removed.
var ErrInUse = errors.New("it is in use")

// use notes that this process uses an environment, until it ends.
func (s *Store) use(e Environment) error {
	now := time.Now()
	if err := os.Chtimes(filepath.Join(e.Dir, wholeName), now, now); err != nil {
		return err
	}
	uses := s.uses.Lock()
	defer s.uses.Unlock()
	if u := (*uses)[e.ID]; u != nil {
		if !u.Removed() {
			return nil
		}
		_ = u.Close() // it was removed, such as by hand
		delete(*uses, e.ID)
	}
	u, err := filelock.NewUse(filepath.Join(e.Dir, usesName))
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(e.Dir, wholeName)); err != nil {
		_ = u.Close()
		return err
	}
	if *uses == nil {
		*uses = map[string]*filelock.Use{}
	}
	(*uses)[e.ID] = u
	return nil
}

// Release ends the use of an environment by this process.
func (s *Store) Release(id string) {
	uses := s.uses.Lock()
	defer s.uses.Unlock()
	if u := (*uses)[id]; u != nil {
		_ = u.Close()
		delete(*uses, id)
	}
}

// Close ends all uses.
func (s *Store) Close() {
	uses := s.uses.Lock()
	defer s.uses.Unlock()
	for id, u := range *uses {
		_ = u.Close()
		delete(*uses, id)
	}
}

// InUse reports whether a process of Conch uses the environment.
func (e Environment) InUse() bool { return filelock.InUse(filepath.Join(e.Dir, usesName)) }

// Has reports whether there is an environment of the ID that is wanted.
func (s *Store) Has(id string) bool {
	return slices.ContainsFunc(s.List(), func(e Environment) bool { return wantedOf(e.ID) == id })
}

// List returns the environments, those that were used last first.
func (s *Store) List() []Environment {
	entries, _ := os.ReadDir(s.Dir)
	var list []Environment
	for _, entry := range entries {
		if e, err := s.read(entry.Name()); err == nil {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b Environment) int { return b.Used.Compare(a.Used) })
	return list
}

// Remove removes an environment that no process uses.
func (s *Store) Remove(ctx context.Context, id string) error {
	if filepath.Base(id) != id {
		return os.ErrNotExist
	}
	turn, err := s.turn(ctx, wantedOf(id), func() {})
	if err != nil {
		return err
	}
	defer turn.End()
	e, err := s.read(id)
	if err != nil {
		return fmt.Errorf("there is no such environment: %w", err)
	}
	return s.remove(e)
}

// remove removes an environment in its turn.
func (s *Store) remove(e Environment) error {
	// Without this file nobody begins to use it; who has begun before is seen by now, or sees that the file is gone.
	whole, gone := filepath.Join(e.Dir, wholeName), filepath.Join(e.Dir, wholeName+".gone")
	if err := os.Rename(whole, gone); err != nil {
		return err
	}
	if e.InUse() {
		return errors.Join(ErrInUse, os.Rename(gone, whole))
	}
	return os.RemoveAll(e.Dir)
}

// sweep removes what processes have left that were killed while they made or removed the environment whose turn it is.
func (s *Store) sweep(turn *filelock.Turn, id string) {
	for _, name := range s.folders(id) {
		dir := filepath.Join(s.Dir, name)
		if _, err := os.Stat(filepath.Join(dir, wholeName)); os.IsNotExist(err) && turn.Left(dir) {
			_ = os.RemoveAll(dir)
		}
	}
}

// tidyPatience is how long tidy waits for the turn of an environment. Who has it longer makes the environment, or tidies too.
const tidyPatience = time.Second

// tidy removes the environments that nobody has used since then, but for those of the ID whose turn it is.
func (s *Store) tidy(ctx context.Context, held string, since time.Time, log *slog.Logger) {
	for _, e := range s.List() {
		if e.Used.After(since) || wantedOf(e.ID) == held {
			continue
		}
		short, cancel := context.WithTimeoutCause(ctx, tidyPatience, ErrInUse)
		err := s.Remove(short, e.ID)
		cancel()
		switch {
		case err == nil:
			log.Info("removed a Python environment that nobody has used for a long time", "for", e.For, "folder", e.Dir)
		case !errors.Is(err, ErrInUse):
			log.Warn("cannot remove an old Python environment", "folder", e.Dir, "error", err)
		}
	}
}
