package grpcapi

import (
	"bytes"
	"compress/zlib"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"

	"conch/engine/infer"
)

// deflate is gRPC's compression of this name: zlib's format. gRPC's registry of compressors is the whole process's and knows no
// budget, so the one that is registered here inflates nothing: it hands the message on with a mark, and the codec
// inflates it and counts as it does.
type deflate struct{ writers sync.Pool } // of *zlib.Writer

func init() { encoding.RegisterCompressor(&deflate{}) }

// Name implements encoding.Compressor.
func (*deflate) Name() string { return "deflate" }

// Compress implements encoding.Compressor.
func (d *deflate) Compress(w io.Writer) (io.WriteCloser, error) {
	z, ok := d.writers.Get().(*zlib.Writer)
	if !ok {
		return &deflating{zlib.NewWriter(w), d}, nil
	}
	z.Reset(w)
	return &deflating{z, d}, nil
}

type deflating struct {
	*zlib.Writer
	of *deflate
}

// Close writes the end and keeps the writer for the next message.
func (d *deflating) Close() error {
	defer d.of.writers.Put(d.Writer)
	return d.Writer.Close()
}

// Decompress implements encoding.Compressor.
func (*deflate) Decompress(r io.Reader) (io.Reader, error) {
	return io.MultiReader(bytes.NewReader(deflatedMark()), r), nil
}

// deflatedMark stands before a message that is still to be inflated. No client knows it.
var deflatedMark = sync.OnceValue(func() []byte {
	mark := make([]byte, 24)
	_, _ = rand.Read(mark) // never fails
	return mark
})

// deflated is what comes behind the mark, where a message has it.
func deflated(data mem.BufferSlice) (io.Reader, bool) {
	mark := deflatedMark()
	if data.Len() < len(mark) {
		return nil, false
	}
	r, head := data.Reader(), make([]byte, len(mark))
	if _, err := io.ReadFull(r, head); err != nil || !bytes.Equal(head, mark) {
		return nil, false
	}
	return r, true
}

// otherInflated is how large a message of another service may become, of health or reflection. They hold a name; nothing counts
// them, so that they must stay small.
const otherInflated = 64 << 10

// otherwise inflates a message for which there is no account, up to a bound.
func otherwise(data mem.BufferSlice, most int64) (mem.BufferSlice, error) {
	r, ok := deflated(data)
	if !ok {
		return data, nil
	}
	z, err := zlib.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("inflate a message: %w", err)
	}
	whole, err := io.ReadAll(io.LimitReader(z, most+1))
	if err == nil && int64(len(whole)) > most {
		err = errors.New("it is too large")
	}
	if err != nil {
		return nil, fmt.Errorf("inflate a message: %w", err)
	}
	return mem.BufferSlice{mem.SliceBuffer(whole)}, nil
}

// inflate inflates the message where that is still to be done, within the memory that there is. refusal is why it is not.
func (in *received) inflate(data mem.BufferSlice) (whole mem.BufferSlice, refusal, err error) {
	r, ok := deflated(data)
	if !ok {
		return data, nil, nil
	}
	z, err := zlib.NewReader(r)
	if err != nil {
		return nil, nil, fmt.Errorf("inflate a message: %w", err)
	}
	out, err := inflateWithin(z, &in.account)
	var full *infer.Error
	switch {
	case errors.As(err, &full):
		return nil, err, nil
	case err != nil:
		return nil, nil, fmt.Errorf("inflate a message: %w", err)
	}
	return mem.BufferSlice{mem.SliceBuffer(out)}, nil, nil
}
