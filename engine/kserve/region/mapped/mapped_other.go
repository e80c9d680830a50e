//go:build !linux

package mapped

import (
	"errors"
	"os"
)

// Map maps no file on this system.
func Map(*os.File, int64, int) (*Memory, error) { return nil, errors.ErrUnsupported }

// Torn tells whether a part that was read or written was gone.
func (m *Memory) Torn() bool { return false }

// Close ends the mapping.
func (m *Memory) Close() {}
