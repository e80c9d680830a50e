package runtimecmd

import "time"

// SetLongest changes how long a command that only looks may take, until the returned function is called.
func SetLongest(d time.Duration) (restore func()) {
	before := longest
	longest = d
	return func() { longest = before }
}
