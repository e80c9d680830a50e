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

// usesName is the folder in an environment with a locked file of each process that uses it.
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
	if f := (*uses)[e.ID]; f != nil {
		if _, err := os.Stat(f.Name()); err == nil {
			return nil
		}
		_ = f.Close() // somebody has removed the environment, and it was made again
	}
	f, err := filelock.Use(filepath.Join(e.Dir, usesName))
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(e.Dir, wholeName)); err != nil {
		_ = f.Close()
		return err
	}
	if *uses == nil {
		*uses = map[string]*os.File{}
	}
	(*uses)[e.ID] = f
	return nil
}

// Release ends the use of an environment by this process.
func (s *Store) Release(id string) {
	uses := s.uses.Lock()
	defer s.uses.Unlock()
	if f := (*uses)[id]; f != nil {
		_ = os.Remove(f.Name())
		_ = f.Close()
		delete(*uses, id)
	}
}

// Close ends all uses.
func (s *Store) Close() {
	for _, e := range s.List() {
		s.Release(e.ID)
	}
}

// InUse reports whether a process of Conch uses the environment.
func (e Environment) InUse() bool { return filelock.InUse(filepath.Join(e.Dir, usesName)) }

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
	lock, err := s.lock(ctx, id, func() {})
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	e, err := s.read(id)
	if err != nil {
		return fmt.Errorf("there is no such environment: %w", err)
	}
	return s.remove(e)
}

// remove removes an environment while its lock is held.
func (s *Store) remove(e Environment) error {
	// Without this file nobody begins to use it; who has begun before has a lock by now, or sees that the file is gone.
	whole, gone := filepath.Join(e.Dir, wholeName), filepath.Join(e.Dir, wholeName+".gone")
	if err := os.Rename(whole, gone); err != nil {
		return err
	}
	if e.InUse() {
		return errors.Join(ErrInUse, os.Rename(gone, whole))
	}
	return os.RemoveAll(e.Dir)
}

// tidyPatience is how long tidy waits for the lock of an environment. Who has it longer makes the environment, or tidies too.
const tidyPatience = time.Second

// tidy removes the environments that nobody has used since then, but for the one whose lock is held.
func (s *Store) tidy(ctx context.Context, held string, since time.Time, log *slog.Logger) {
	for _, e := range s.List() {
		if e.Used.After(since) || e.ID == held {
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
