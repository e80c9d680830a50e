package filelock

import (
	"context"
	"os"
	"time"
)

// waitPause is the time between two attempts to get a lock that another process has.
const waitPause = 200 * time.Millisecond

// Wait takes the lock of the file at path, which is made where it is missing, and waits while somebody else has it. waits is called
// once in that case. The lock lasts until the file is closed.
func Wait(ctx context.Context, path string, waits func()) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for first := true; ; first = false {
		taken, err := Try(f)
		switch {
		case err == nil:
			return f, nil
		case !taken:
			_ = f.Close()
			return nil, err
		case first:
			waits()
		}
		select {
		case <-time.After(waitPause):
		case <-ctx.Done():
			_ = f.Close()
			return nil, context.Cause(ctx)
		}
	}
}
