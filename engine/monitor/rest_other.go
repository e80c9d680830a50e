//go:build !linux

package monitor

import "time"

// Rest has the monitor thread look so much later, where the system can.
func Rest(time.Duration) error { return nil }
