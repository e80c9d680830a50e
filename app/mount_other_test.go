//go:build unix && !linux

package app_test

import "testing"

// mountReadOnly is for Linux only.
func mountReadOnly(*testing.T, string) bool { return false }
