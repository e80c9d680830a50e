package runtimes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"conch/configedit/bytesize"
)

// mostBytes bounds a build: what is downloaded for it, and what that unpacks to, each of all its packages together. The largest wheel of
// ONNX Runtime has 250 MB and unpacks to 450 MB.
const mostBytes = 4 << 30

// mostBytesText is the bound for people.
func mostBytesText() string { return bytesize.Text(mostBytes) }

// room is how many bytes are left of the bound.
type room int64

// take takes bytes of it, unless there are fewer.
func (r *room) take(bytes uint64) bool {
	if bytes > uint64(*r) {
		return false
	}
	*r -= room(bytes)
	return true
}

// errTooLarge means that a download is, or became, more than the bound leaves.
var errTooLarge = errors.New("it is more than the bound")

// tooLarge says which download was too large.
func tooLarge(o Offer) error {
	return fmt.Errorf("download %s %s: the whole build would download more than %s, which is refused", o.Package, o.Version, mostBytesText())
}

// watchBound tells how large a folder in which pip downloads has become, and ends that when it is too much for one wheel. pip has the
// wheel twice for a moment.
func watchBound(ctx context.Context, dir string, left room, progress func(int64)) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := watchSize(ctx, func() int64 { return size(dir) }, func(bytes int64) {
		if bytes > 2*int64(left) {
			cancel(errTooLarge)
		}
		if progress != nil {
			progress(bytes)
		}
	})
	return ctx, func() { stop(); cancel(nil) }
}

// fits reports whether a downloaded file is within what is left, and takes that.
func (r *room) fits(file string) error {
	info, err := os.Stat(file)
	if err == nil && !r.take(uint64(info.Size())) {
		err = fmt.Errorf("%s: %w", filepath.Base(file), errTooLarge)
	}
	return err
}
