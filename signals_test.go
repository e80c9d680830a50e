package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestEndAtLatest: a program that waits for a disk that does not answer ends anyway, but not before
// its time.
func TestEndAtLatest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, signal := context.WithCancel(t.Context())
		status := 0
		endAtLatest(ctx, longestEnd, func(s int) { status = s })
		time.Sleep(time.Hour)
		synctest.Wait()
		if status != 0 {
			t.Fatal("it ended without a signal")
		}
		signal()
		time.Sleep(longestEnd - time.Second)
		synctest.Wait()
		if status != 0 {
			t.Fatal("it ended before its time")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if status != 1 {
			t.Error("it waits on")
		}
	})
}
