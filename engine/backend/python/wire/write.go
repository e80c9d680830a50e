package wire

import (
	"encoding/binary"

	"conch/engine/tensor"
)

// Placing says where the bytes of tensors go.
type Placing interface {
	// Place copies data into the message's segment and returns where it is; segment 0 leaves it inline.
	Place(data []byte) (segment uint32, offset uint64)
}

// Inline leaves all tensors in the frame.
type Inline struct{}

// Place returns segment 0.
func (Inline) Place([]byte) (segment uint32, offset uint64) { return 0, 0 }

var le = binary.LittleEndian

// AppendRequests appends the payload of Execute, apart from the requests themselves, which follow.
func AppendRequests(buf []byte, count int) []byte {
	return le.AppendUint32(le.AppendUint32(buf, uint32(count)), 0)
}

// AppendRequest appends a request.
func AppendRequest(buf []byte, r *Request, to Placing) []byte {
	for _, n := range [...]uint64{r.Handle, r.Timeout, r.Priority, r.Correlation} {
		buf = le.AppendUint64(buf, n)
	}
	for _, n := range [...]uint32{
		r.Flags, uint32(len(r.Inputs)), uint32(len(r.Outputs)),
		uint32(len(r.ID)), uint32(len(r.Name)), uint32(len(r.Parameters)), uint32(len(r.Trace)),
	} {
		buf = le.AppendUint32(buf, n)
	}
	for _, text := range [...]string{r.ID, r.Name, r.Parameters, r.Trace} {
		buf = append(buf, text...)
	}
	for _, name := range r.Outputs {
		buf = append(le.AppendUint32(buf, uint32(len(name))), name...)
	}
	return appendTensors(buf, r.Inputs, to)
}

// AppendReply appends an answer.
func AppendReply(buf []byte, r *Reply, to Placing) []byte {
	for _, n := range [...]uint32{flag(r.Failed), r.Code, uint32(len(r.Outputs)), uint32(len(r.Error)), uint32(len(r.Parameters))} {
		buf = le.AppendUint32(buf, n)
	}
	buf = append(append(buf, r.Error...), r.Parameters...)
	return appendTensors(buf, r.Outputs, to)
}

// AppendPart appends what Answer and Send begin with.
func AppendPart(buf []byte, final, has bool) []byte {
	return le.AppendUint32(le.AppendUint32(buf, flag(final)), flag(has))
}

// AppendSent appends the payload of Sent.
func AppendSent(buf []byte, count uint32, ended bool) []byte {
	return le.AppendUint32(le.AppendUint32(buf, count), flag(ended))
}

// AppendNumbers appends numbers, as in Sent, Freed, …
func AppendNumbers(buf []byte, numbers ...uint32) []byte {
	for _, n := range numbers {
		buf = le.AppendUint32(buf, n)
	}
	return buf
}

func flag(is bool) uint32 {
	if is {
		return 1
	}
	return 0
}

func appendTensors(buf []byte, tensors []tensor.Tensor, to Placing) []byte {
	for i := range tensors {
		t := &tensors[i]
		segment, offset := to.Place(t.Data)
		buf = le.AppendUint32(buf, uint32(len(t.Name)))
		buf = append(buf, byte(t.Type), byte(len(t.Shape)), 0, 0)
		buf = le.AppendUint32(buf, segment)
		buf = le.AppendUint64(buf, offset)
		buf = le.AppendUint64(buf, uint64(len(t.Data)))
		buf = append(buf, t.Name...)
		for _, d := range t.Shape {
			buf = le.AppendUint64(buf, uint64(d))
		}
		if segment == 0 {
			for (len(buf)-HeaderSize)%8 != 0 {
				buf = append(buf, 0)
			}
			buf = append(buf, t.Data...)
		}
	}
	return buf
}
