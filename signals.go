package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
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
