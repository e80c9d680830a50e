package app

import (
	"testing"
	"time"
)

// WaitForView sets how long engines wait for the first view of a page.
func WaitForView(t *testing.T, atMost time.Duration) {
	before := viewAtMost
	viewAtMost = atMost
	t.Cleanup(func() { viewAtMost = before })
}
