package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// untilSignal returns a context that ends with the signals that ask for an orderly end: Ctrl C, a supervisor's, and the terminal's
// when it is closed. A program that was started with nohup stays when its terminal goes.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, end := untilHangup(ctx)
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	return ctx, func() {
		stop()
		end()
	}
}

// untilHangup returns a context that ends when the terminal is closed.
func untilHangup(ctx context.Context) (context.Context, context.CancelFunc) {
	if signal.Ignored(syscall.SIGHUP) {
		return context.WithCancel(ctx)
	}
	return signal.NotifyContext(ctx, syscall.SIGHUP)
}

// longestEnd is how long the workbench may take to end after a signal. Its orderly end takes less, unless a disk hangs: unsaved
// texts that cannot be kept are tried for five seconds, those who write files of the repository have ten, and the engine has six.
const longestEnd = 30 * time.Second

// endAtLatest ends the process when it still runs so long after ctx has ended, whatever it waits for. exit is os.Exit.
func endAtLatest(ctx context.Context, after time.Duration, exit func(status int)) {
	context.AfterFunc(ctx, func() {
		time.AfterFunc(after, func() {
			fmt.Fprintf(os.Stderr, "conch: something still waits %v after the signal, perhaps for a disk that does not answer: the program ends without it\n", after)
			exit(1)
		})
	})
}
