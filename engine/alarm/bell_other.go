//go:build !linux

package alarm

import (
	"errors"
	"time"
)

// bell is nothing that this system has for us.
type bell struct{}

func newBell() (*bell, error) { return nil, errors.ErrUnsupported }

func (b *bell) set(time.Duration) {}

func (b *bell) wait() bool { return false }

func (b *bell) close() {}
