package grpcapi

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync"

	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"

	"conch/engine/budget"
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

// inflater inflates the messages of one server, counting as it does: how large they become is not told before.
type inflater struct {
	memory  *budget.Budget
	readers sync.Pool // of *gzip.Reader
}

// Type is the only kind that there is.
func (*inflater) Type() string { return "gzip" }

// refusals stand for messages that would take too much memory: what gRPC says of an error here is not for people, so an
// inflater gives one of them for a message, and the codec finds it.
var (
	refusalsMu sync.Mutex
	refusals   = map[*byte]error{}
)

// Do inflates a message.
func (i *inflater) Do(r io.Reader) ([]byte, error) {
	out, err := i.inflate(r)
	var refusal *infer.Error
	if !errors.As(err, &refusal) {
		return out, err
	}
	mark := make([]byte, 1)
	refusalsMu.Lock()
	defer refusalsMu.Unlock()
	refusals[&mark[0]] = err
	return mark, nil
}

// refusalIn is the reason that a message stands for, or nil.
func refusalIn(data mem.BufferSlice) error {
	if len(data) != 1 || data[0].Len() != 1 {
		return nil
	}
	refusalsMu.Lock()
	defer refusalsMu.Unlock()
	mark := &data[0].ReadOnlyData()[0]
	err := refusals[mark]
	delete(refusals, mark)
	return err
}

func (i *inflater) inflate(r io.Reader) ([]byte, error) {
	z, ok := i.readers.Get().(*gzip.Reader)
	var err error
	if ok {
		err = z.Reset(r)
	} else {
		z, err = gzip.NewReader(r)
	}
	if err != nil {
		return nil, err
	}
	defer i.readers.Put(z)
	account := i.memory.Open()
	defer account.Close() // the one who reads the message counts it again
	return inflateWithin(z, &account)
}

// inflateWithin reads a message to its end, and asks the account before it takes memory.
func inflateWithin(z io.Reader, account *budget.Account) ([]byte, error) {
	out := []byte(nil)
	for room := firstInflated; ; room *= 2 {
		if err := account.Grow(int64(room - cap(out))); err != nil {
			return nil, err
		}
		out = append(make([]byte, 0, room), out...)
		n, err := io.ReadFull(z, out[len(out):room])
		out = out[:len(out)+n]
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) && ended(z):
			return out, nil
		case err != nil:
			return nil, err
		}
	}
}

// firstInflated is the memory that an inflated message is begun with.
const firstInflated = 4 << 10

// ended says whether a reader that gave less than it was asked for has come to its end, and was not cut.
func ended(z io.Reader) bool {
	_, err := z.Read(make([]byte, 1))
	return errors.Is(err, io.EOF)
}
