//go:build !linux

package alarm

import (
	"errors"
	"time"
)

// bell does not exist on this system.
type bell struct{}

func newBell() (*bell, error) { return nil, errors.ErrUnsupported }

func (b *bell) set(time.Duration) {}

func (b *bell) wait() bool { return false }

func (b *bell) close() {}
