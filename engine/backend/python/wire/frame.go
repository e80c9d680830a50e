package wire

import "encoding/binary"

// Kind is what a frame means.
type Kind uint8

// The kinds of frames that the engine sends.
const (
	Setup Kind = 1 + iota
	Execute
	Answer
	Result
	Sent
	Cancel
	Freed
	Ready
	End
	Forget
	Profile
	Debug
)

// The kinds of frames that a worker sends.
const (
	Done Kind = 64 + iota
	Executed
	Failed
	Send
	Call
	Quit
	Took
	Ask
	Tell
	Log
	Free
	Dropped
	Profiled
)

// HeaderSize is the length of a frame's header.
const HeaderSize = 16

// Header is what precedes a payload.
type Header struct {
	Length uint32
	Kind   Kind
	ID     uint64
}

// ReadHeader reads the header at the beginning of data, which holds HeaderSize bytes at least.
func ReadHeader(data []byte) Header {
	return Header{binary.LittleEndian.Uint32(data), Kind(data[4]), binary.LittleEndian.Uint64(data[8:])}
}

// Begin returns a frame without a payload, which is appended to it.
func Begin(buf []byte, kind Kind, id uint64) []byte {
	buf = append(buf[:0], 0, 0, 0, 0, byte(kind), 0, 0, 0)
	return binary.LittleEndian.AppendUint64(buf, id)
}

// Finish writes the payload's length into the header. The payload is shorter than 4 GB.
func Finish(frame []byte) []byte {
	binary.LittleEndian.PutUint32(frame, uint32(len(frame)-HeaderSize))
	return frame
}
