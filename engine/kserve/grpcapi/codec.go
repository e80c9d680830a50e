package grpcapi

import (
	"errors"

	"google.golang.org/grpc/encoding"
	protocodec "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	"conch/configedit/folder"
	"conch/engine/budget"
	"conch/engine/infer"
	"conch/engine/kserve/grpcapi/arrival"
	"conch/engine/kserve/kservepb"
)

// codec is gRPC's codec for protobuf, with two more kinds of messages. A received message is counted when it is read.
// An outgoing message is counted until it has been sent.
type codec struct {
	encoding.CodecV2
	// uncounted is the maximum size of an inflated message that is not counted.
	uncounted int64
	known     knownRequests
}

func newCodec() codec {
	return codec{encoding.GetCodecV2(protocodec.Name), otherInflated, newKnownRequests()}
}

// received is a message with the account that counts it.
type received struct {
	message proto.Message
	call    *arrival.Call
	account budget.Account // of the message that was read
	whole   mem.Buffer     // with the tensors of an inference request; nil for other messages
	err     error          // why it was not read; gRPC cannot report our errors
}

// outgoing is an encoded message that will be sent.
type outgoing struct{ data mem.BufferSlice }

// Unmarshal reads a message.
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	in, ok := v.(*received)
	if !ok {
		if err := refusalIn(data); err != nil {
			return err
		}
		whole, err := otherwise(data, c.uncounted)
		if err != nil {
			return err
		}
		return c.CodecV2.Unmarshal(whole, v)
	}
	in.account = in.call.Take()
	if in.err = refusalIn(data); in.err != nil {
		return nil
	}
	whole, refusal, err := in.inflate(data)
	if refusal == nil && err == nil {
		refusal, err = in.read(whole, c.known)
	}
	if err != nil { // in Triton's words, with the reason
		refusal = infer.Errorf(infer.Internal, "Unable to parse request: %v", err)
	}
	in.err = refusal
	return nil
}

// weighed is the smallest message whose parts are measured. The parts of a smaller message never take more memory
// than RequestCost.
const weighed = 512

// read counts a message and reads it. refusal is why it is not read; err is the message's own
// error.
func (in *received) read(data mem.BufferSlice, known knownRequests) (refusal, err error) {
	size := int64(data.Len())
	if inflated := size - in.account.Held(); inflated > 0 {
		if refusal = in.account.Grow(inflated); refusal != nil {
			return refusal, nil
		}
	}
	whole := data.MaterializeToBuffer(&shared)
	text := whole.ReadOnlyData()
	request, infers := in.message.(*kservepb.ModelInferRequest)
	weighs, read := int64(0), false
	if infers {
		weighs, read = known.read(text, request)
	}
	if size > weighed {
		if !read {
			weighs = weight(text, in.message.ProtoReflect().Descriptor())
		}
		if refusal = in.account.Grow(weighs - size); refusal != nil {
			whole.Free()
			return refusal, nil
		}
	}
	if !infers {
		defer whole.Free()
		return nil, proto.Unmarshal(text, in.message)
	}
	in.whole = whole
	if read {
		return nil, nil
	}
	return nil, unmarshalInPlace(text, request)
}

// close frees the message's memory and ends its count. Its tensors must not be used any more.
func (in *received) close() {
	if in.whole != nil {
		in.whole.Free()
		in.whole = nil
	}
	in.account.Close()
}

// Marshal returns an outgoing message, which is already encoded, or encodes another message. A message may quote a
// name that is not UTF-8, for example in the reason of a failed load. The name is escaped then; otherwise the whole
// answer would be lost.
func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	if out, ok := v.(*outgoing); ok {
		return out.data, nil
	}
	out, err := c.CodecV2.Marshal(v)
	if m, ok := v.(proto.Message); ok && err != nil {
		return c.CodecV2.Marshal(folder.Message(m))
	}
	return out, err
}

// prepare encodes an answer into memory that is counted until gRPC has sent it, or until it is freed. It encodes at
// once, because the answer borrows the backend's memory.
func (c *call) prepare(m proto.Message, memory *budget.Budget) (*outgoing, error) {
	out, err := c.write(m, memory)
	var full *infer.Error
	if err != nil && !errors.As(err, &full) {
		return c.write(folder.Message(m), memory)
	}
	return out, err
}

func (c *call) write(m proto.Message, memory *budget.Budget) (*outgoing, error) {
	options := proto.MarshalOptions{UseCachedSize: true}
	return c.encode(proto.Size(m), memory, func(b []byte) ([]byte, error) { return options.MarshalAppend(b, m) })
}

// encode has an answer of a size written to memory that is counted.
func (c *call) encode(size int, memory *budget.Budget, write func([]byte) ([]byte, error)) (*outgoing, error) {
	if mem.IsBelowBufferPoolingThreshold(size) { // gRPC does not report when a small buffer has been sent
		text, err := write(make([]byte, 0, size))
		if err != nil {
			return nil, err
		}
		return &outgoing{mem.BufferSlice{mem.SliceBuffer(text)}}, nil
	}
	account := memory.Open()
	if err := account.Grow(int64(size)); err != nil {
		return nil, err
	}
	buffer := shared.Get(size)
	text, err := write((*buffer)[:0])
	if err != nil {
		account.Close()
		shared.Put(buffer)
		return nil, err
	}
	*buffer = text
	return &outgoing{mem.BufferSlice{mem.NewBuffer(buffer, &counted{&shared, c.arrived.Hold(account)})}}, nil
}

// free frees an outgoing message that will not be sent; nil is allowed.
func (o *outgoing) free() {
	if o != nil {
		o.data.Free()
	}
}

// counted is the pool of one buffer. The count ends when gRPC no longer needs the buffer.
type counted struct {
	mem.BufferPool
	answer *arrival.Answer
}

// Put takes the buffer back.
func (c *counted) Put(b *[]byte) {
	c.answer.Sent()
	c.BufferPool.Put(b)
}
