//go:build !linux && !darwin && !windows

package files

import "errors"

func renameNew(string, string) error { return errors.ErrUnsupported }
