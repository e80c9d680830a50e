package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

// Copy copies the content of a file into a new one, as long as ctx lasts. What exists is not replaced.
func Copy(ctx context.Context, from, to string, mode fs.FileMode) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if _, err = io.Copy(target, wanted{ctx, source}); err == nil {
		err = target.Sync()
	}
	return errors.Join(err, target.Close())
}

// wanted reads as long as somebody waits for it.
type wanted struct {
	ctx context.Context
	io.Reader
}

func (w wanted) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.Reader.Read(p)
}
