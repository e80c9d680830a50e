package grpcapi

import (
	"compress/gzip"
	"errors"
	"io"
	"sync"

	"google.golang.org/grpc/mem"

	"conch/engine/budget"
	"conch/engine/infer"
)

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
