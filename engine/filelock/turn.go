package filelock

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"conch/engine/filelock/internal/system"
	"conch/engine/guarded"
)

// waitPause is the time between two attempts to get a lock that another process has.
const waitPause = 200 * time.Millisecond

// Turn is the right to change what a path names. The parts of a process always wait for each other. Other processes do where the disk has
// locks that they see.
type Turn struct {
	lock *os.File // nil where the disk has no locks
	here chan struct{}
}

// turns are those of this process: a channel that is full while a part of it has the turn of a path.
var turns guarded.Value[map[string]chan struct{}]

// Take waits for the turn of a path, whose file is made where it is missing. waits is called once when somebody else has it. A disk without
// locks is no error.
func Take(ctx context.Context, path string, waits func()) (*Turn, error) {
	told := false
	once := func() {
		if !told {
			told = true
			waits()
		}
	}
	t, err := Here(ctx, path, once)
	if err != nil {
		return nil, err
	}
	if t.lock, err = wait(ctx, path, once); err != nil && !Absent(err) {
		t.End()
		return nil, err
	}
	return t, nil
}

// Here waits for the turn of a path in this process alone. It needs no disk.
func Here(ctx context.Context, path string, waits func()) (*Turn, error) {
	t := &Turn{here: turnHere(filepath.Clean(path))}
	select {
	case t.here <- struct{}{}:
		return t, nil
	default:
	}
	waits()
	select {
	case t.here <- struct{}{}:
		return t, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func turnHere(path string) chan struct{} {
	all := turns.Lock()
	defer turns.Unlock()
	if *all == nil {
		*all = map[string]chan struct{}{}
	}
	if (*all)[path] == nil {
		(*all)[path] = make(chan struct{}, 1)
	}
	return (*all)[path]
}

// wait takes the lock of the file at path. Without an error it is held until the file is closed.
func wait(ctx context.Context, path string, waits func()) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		taken, err := Try(f)
		switch {
		case err == nil:
			return f, nil
		case !taken:
			_ = f.Close()
			return nil, err
		}
		waits()
		select {
		case <-time.After(waitPause):
		case <-ctx.Done():
			_ = f.Close()
			return nil, context.Cause(ctx)
		}
	}
}

// End gives the turn to the next one.
func (t *Turn) End() {
	if t.lock != nil {
		_ = t.lock.Close()
	}
	<-t.here
}

// Folder makes a folder for who has the turn. Its name is the pattern with something in the place of "*" that no other process takes,
// also where locks keep none of them out.
func (t *Turn) Folder(dir, pattern string) (string, error) {
	return os.MkdirTemp(dir, strings.Replace(pattern, "*", system.Now().Machine+"-*", 1))
}

// Left reports whether a process that has ended left a folder, which it made by Folder in a turn of the same path: at once where the lock
// tells that, which it does on one machine, else when nobody has touched the folder for a day.
func (t *Turn) Left(path string) bool {
	return t.lock != nil && strings.Contains(filepath.Base(path), system.Now().Machine+"-") || LeftBehind(path)
}
