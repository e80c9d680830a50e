//go:build !linux

package watch

import "errors"

// newClosings: only Linux tells when a file is closed; elsewhere the heartbeat
// finds writes through mappings.
func newClosings(*queue) (closings, error) { return nil, errors.ErrUnsupported }
