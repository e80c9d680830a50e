package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"conch/engine/period"
)

// untilSignal returns a context that ends with the signals for an orderly end: Ctrl C, a supervisor's
// signal, and the terminal's when it is closed. A program that was started with nohup does not end
// with its terminal.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, end := untilHangup(ctx)
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	return ctx, func() {
		stop()
		end()
	}
}

// parentPipe is the flag of the commands that the workbench starts. Their standard input is a pipe from it, so that they also end when it is killed.
type parentPipe struct {
	ParentPipe bool `hidden:"" help:"End when standard input is closed."`
}

// untilEnd is untilSignal, and ends with the parent too.
func (p parentPipe) untilEnd(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := untilSignal(ctx)
	if !p.ParentPipe {
		return ctx, stop
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // only its end matters, not its cause
		cancel()
	}()
	return ctx, func() {
		cancel()
		stop()
	}
}

// orExit ends this process at once when its parent has ended.
func (p parentPipe) orExit() {
	if p.ParentPipe {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(1)
		}()
	}
}

// untilHangup returns a context that ends when the terminal is closed.
func untilHangup(ctx context.Context) (context.Context, context.CancelFunc) {
	if signal.Ignored(syscall.SIGHUP) {
		return context.WithCancel(ctx)
	}
	return signal.NotifyContext(ctx, syscall.SIGHUP)
}

// longestEnd is how long the workbench may take to end after a signal. Its orderly end takes less,
// unless a disk hangs: it tries for five seconds to keep unsaved texts, waits ten for writes to files
// of the repository, and six for the engine.
const longestEnd = 30 * time.Second

// endAtLatest ends the process if it still runs this long after ctx has ended. exit is os.Exit.
func endAtLatest(ctx context.Context, after time.Duration, exit func(status int)) {
	context.AfterFunc(ctx, func() {
		time.AfterFunc(after, func() {
			fmt.Fprintf(os.Stderr, "conch: the program still waits %s after the signal, perhaps for a disk that does not answer, and ends now\n", period.Text(after))
			exit(1)
		})
	})
}
