package serve

import (
	"context"
	"errors"
	"time"
)

// lastWords is what the orderly end may take beyond --exit-timeout-secs, to close what is open once requests and loads are given up.
const lastWords = 500 * time.Millisecond

// errLeft is the end of a process that leaves something behind.
var errLeft = errors.New("exit timeout expired: the program ends, whatever still runs in it")

// bounded runs the life of the process. Once ctx has ended it waits no longer than the timeout, whatever runs: the walk through a
// repository, a framework that does not come back.
func bounded(ctx context.Context, timeout time.Duration, life func(ctx context.Context) error) error {
	ended := make(chan error, 1)
	go func() { ended <- life(ctx) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	late := time.NewTimer(timeout + lastWords)
	defer late.Stop()
	select {
	case err := <-ended:
		return err
	case <-late.C:
		return errLeft
	}
}
