package serve

import (
	"context"
	"errors"
	"time"
)

// lastWords is how much longer than --exit-timeout-secs the shutdown may take. In this time it closes everything,
// after requests and loads were given up.
const lastWords = 500 * time.Millisecond

// errLeft is the error of a process that ends although something in it still runs.
var errLeft = errors.New("exit timeout expired: the program ends although something in it still runs")

// bounded runs life. After the end of ctx it waits no longer than the timeout, even if something hangs, such as the
// scan of a repository or a framework.
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
