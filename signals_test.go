package main

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestEndAtLatest: a program that waits for a disk that does not answer ends anyway, but not before
// its time.
func TestEndAtLatest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, signal := context.WithCancel(t.Context())
		var status atomic.Int32
		endAtLatest(ctx, longestEnd, func(s int) { status.Store(int32(s)) })
		time.Sleep(time.Hour)
		synctest.Wait()
		if status.Load() != 0 {
			t.Fatal("it ended without a signal")
		}
		signal()
		time.Sleep(longestEnd - time.Second)
		synctest.Wait()
		if status.Load() != 0 {
			t.Fatal("it ended before its time")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if status.Load() != 1 {
			t.Error("it waits on")
		}
	})
}
