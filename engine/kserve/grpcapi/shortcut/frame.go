package shortcut

import "encoding/binary"

// The parts of HTTP/2's frames that are used (RFC 9113, 4.1 and 6).
const (
	preface     = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	frameHeader = 9
	// largestFrame is the largest payload in both directions: gRPC's server announces no other, and none is smaller for a client.
	largestFrame = 16 << 10
	usualWindow  = 64<<10 - 1
	largestID    = 1<<31 - 1

	typeData         = 0
	typeHeaders      = 1
	typeReset        = 3
	typeSettings     = 4
	typePing         = 6
	typeGoAway       = 7
	typeWindowUpdate = 8
	typeContinuation = 9

	flagAck        = 1
	flagEndStream  = 1
	flagEndHeaders = 4
	flagPadded     = 8
	flagPriority   = 32

	settingTableSize     = 1
	settingInitialWindow = 4
	settingMaxHeaders    = 6

	codeNone         = 0
	codeProtocol     = 1
	codeInternal     = 2
	codeStreamClosed = 5
	codeFrameSize    = 6
	codeRefused      = 7
	codeCancel       = 8
	codeTooMuch      = 11
)

// frame is a whole frame.
type frame []byte

func (f frame) kind() byte         { return f[3] }
func (f frame) flags() byte        { return f[4] }
func (f frame) has(flag byte) bool { return f[4]&flag != 0 }
func (f frame) id() uint32         { return binary.BigEndian.Uint32(f[5:]) &^ (1 << 31) }
func (f frame) payload() []byte    { return f[frameHeader:] }

// settles reports whether it can be the first frame of a client.
func (f frame) settles() bool { return f.kind() == typeSettings && !f.has(flagAck) && f.id() == 0 }

// content returns the payload without padding and priority. ok is false when they do not fit into it.
func (f frame) content() (b []byte, ok bool) {
	b = f.payload()
	padding := 0
	if f.has(flagPadded) {
		if len(b) == 0 {
			return nil, false
		}
		padding, b = int(b[0]), b[1:]
	}
	if f.kind() == typeHeaders && f.has(flagPriority) {
		if len(b) < 5 {
			return nil, false
		}
		b = b[5:]
	}
	if padding > len(b) {
		return nil, false
	}
	return b[:len(b)-padding], true
}

// cut returns the first frame of b, or nil while it is not whole.
func cut(b []byte) frame {
	if len(b) < frameHeader {
		return nil
	}
	if size := frameHeader + payloadSize(b); len(b) >= size {
		return frame(b[:size])
	}
	return nil
}

func payloadSize(b []byte) int { return int(b[0])<<16 | int(b[1])<<8 | int(b[2]) }

// begin appends the header of a frame.
func begin(to []byte, size int, kind, flags byte, id uint32) []byte {
	to = append(to, byte(size>>16), byte(size>>8), byte(size), kind, flags)
	return binary.BigEndian.AppendUint32(to, id)
}

// appendBlock appends a block of headers, in as many frames as it needs.
func appendBlock(to []byte, id uint32, block []byte, flags byte) []byte {
	for kind := byte(typeHeaders); ; kind, flags = typeContinuation, 0 {
		n := min(len(block), largestFrame)
		if n == len(block) {
			flags |= flagEndHeaders
		}
		to = append(begin(to, n, kind, flags, id), block[:n]...)
		if block = block[n:]; len(block) == 0 {
			return to
		}
	}
}

func appendWindowUpdate(to []byte, id uint32, n int) []byte {
	return binary.BigEndian.AppendUint32(begin(to, 4, typeWindowUpdate, 0, id), uint32(n))
}

func appendReset(to []byte, id, code uint32) []byte {
	return binary.BigEndian.AppendUint32(begin(to, 4, typeReset, 0, id), code)
}

func appendGoAway(to []byte, last, code uint32, text string) []byte {
	to = begin(to, 8+len(text), typeGoAway, 0, 0)
	to = binary.BigEndian.AppendUint32(to, last)
	return append(binary.BigEndian.AppendUint32(to, code), text...)
}
