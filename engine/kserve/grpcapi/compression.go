package grpcapi

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"

	"conch/engine/budget"
	"conch/engine/infer"
)

// deflate is gRPC's compression of this name, in zlib's format. gRPC's registry of compressors belongs to the whole
// process and has no budget. So this compressor inflates nothing: it passes the message on with a mark, and the codec
// inflates and counts it.
type deflate struct{ writers sync.Pool } // of *zlib.Writer

func init() { encoding.RegisterCompressor(&deflate{}) }

// Deflate is the name of the compression deflate.
const Deflate = "deflate"

// Name implements encoding.Compressor.
func (*deflate) Name() string { return Deflate }

// answerWith sets how the answers of a call are compressed: with the first of the compressors that the client supports, or not
// at all. Without it, gRPC would compress the answers as the request is compressed. It must be called before the first
// answer.
func answerWith(ctx context.Context, compressors []string) {
	for _, name := range compressors {
		if grpc.SetSendCompressor(ctx, name) == nil {
			return
		}
	}
	stream, ok := grpc.ServerTransportStreamFromContext(ctx).(answering)
	if ok && stream.SendCompress() != "" {
		_ = stream.SetSendCompress("") // an ended call needs none
	}
}

// answering is what gRPC's stream knows of the compression of answers. gRPC's own function would name "identity" in a
// header of each answer.
type answering interface {
	SendCompress() string
	SetSendCompress(name string) error
}

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

// deflatedMark comes before a message that must be inflated. No client knows it.
var deflatedMark = sync.OnceValue(func() []byte {
	mark := make([]byte, 24)
	_, _ = rand.Read(mark) // never fails
	return mark
})

// deflated returns the bytes behind the mark, if a message has one. The caller closes the reader, which holds the
// message's buffers.
func deflated(data mem.BufferSlice) (*mem.Reader, bool) {
	mark := deflatedMark()
	head := make([]byte, len(mark))
	if data.CopyTo(head) < len(head) || !bytes.Equal(head, mark) {
		return nil, false
	}
	r := data.Reader()
	_, _ = r.Discard(len(head)) // they are there
	return r, true
}

// otherInflated is the maximum size of an inflated message of another service, health or reflection. Such a message
// holds a name. It is not counted, so it must be small.
const otherInflated = 64 << 10

// otherwise inflates a message without an account, up to a bound.
func otherwise(data mem.BufferSlice, most int64) (mem.BufferSlice, error) {
	r, ok := deflated(data)
	if !ok {
		return data, nil
	}
	defer func() { _ = r.Close() }()
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

// inflate inflates a marked message within the free memory. refusal is why it is not inflated.
func (in *received) inflate(data mem.BufferSlice) (whole mem.BufferSlice, refusal, err error) {
	r, ok := deflated(data)
	if !ok {
		return data, nil, nil
	}
	defer func() { _ = r.Close() }()
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

// inflater inflates and counts the messages of one server. Their inflated size is not known before.
type inflater struct {
	memory  *budget.Budget
	readers sync.Pool // of *gzip.Reader
}

// Type returns the only supported kind.
func (*inflater) Type() string { return "gzip" }

// excuses stand for messages that would take too much memory. gRPC's message for an error of an inflater is hard to
// understand. So the inflater returns one of these in place of the message, and the codec finds it.
var (
	excusesMu sync.Mutex
	excuses   = map[*byte]error{}
)

// Do inflates a message.
func (i *inflater) Do(r io.Reader) ([]byte, error) {
	out, err := i.inflate(r)
	var refusal *infer.Error
	if !errors.As(err, &refusal) {
		return out, err
	}
	mark := make([]byte, 1)
	excusesMu.Lock()
	defer excusesMu.Unlock()
	excuses[&mark[0]] = err
	return mark, nil
}

// refusalIn returns the refusal that a message stands for, or nil.
func refusalIn(data mem.BufferSlice) error {
	if len(data) != 1 || data[0].Len() != 1 {
		return nil
	}
	excusesMu.Lock()
	defer excusesMu.Unlock()
	mark := &data[0].ReadOnlyData()[0]
	err := excuses[mark]
	delete(excuses, mark)
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
	defer account.Close() // the reader of the message counts it again
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

// firstInflated is the first buffer size of an inflated message.
const firstInflated = 4 << 10

// ended reports whether a reader that returned too few bytes has reached its end and was not cut off.
func ended(z io.Reader) bool {
	_, err := z.Read(make([]byte, 1))
	return errors.Is(err, io.EOF)
}
