package modelfile

import (
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// wireBytes is the wire type of text and messages.
const wireBytes = protowire.BytesType

// maxText bounds a name or document text, so that a broken length cannot ask for all memory.
const maxText = 16 << 20

// windowSize is how much is read at a time. Small fields share a window, big ones are stepped over.
const windowSize = 32 << 10

// field is one field of a message: the place of its content, or its value.
type field struct {
	number int32
	wire   protowire.Type
	value  uint64 // of a varint
	start  int64
	length int64
}

// number64 reads f, unless it is of another wire type.
func (f field) number64(into *int64) {
	if f.wire == protowire.VarintType {
		*into = int64(f.value)
	}
}

// section is a message that is being read.
type section struct {
	start, end int64
	what       string
}

// source reads a file through a window.
type source struct {
	r      io.ReaderAt
	size   int64
	format string // what the file should be, for errors: "ONNX model"
	window []byte
	base   int64 // offset of the window
	buffer []byte
}

// each calls visit for every field of a section.
func (s *source) each(in section, visit func(field) error) error {
	for pos := in.start; pos < in.end; {
		f, next, err := s.field(pos, in)
		if err != nil {
			return err
		}
		if err := visit(f); err != nil {
			return err
		}
		pos = next
	}
	return nil
}

// field reads the field at pos; next is where the following one begins.
func (s *source) field(pos int64, in section) (f field, next int64, err error) {
	tag, n, err := s.varint(pos, in)
	if err != nil {
		return f, 0, err
	}
	number, wire := protowire.DecodeTag(tag)
	if number < protowire.MinValidNumber {
		return f, 0, s.broken(pos, in)
	}
	f = field{number: int32(number), wire: wire, start: pos + n}
	switch wire {
	case protowire.VarintType:
		f.value, f.length, err = s.varint(f.start, in)
	case protowire.Fixed32Type:
		f.length = 4
	case protowire.Fixed64Type:
		f.length = 8
	case protowire.BytesType:
		f.value, n, err = s.varint(f.start, in)
		f.start += n
		f.length = int64(min(f.value, 1<<62))
	case protowire.StartGroupType:
		f.length, err = s.group(f, in, maxGroups)
	default:
		return f, 0, s.broken(pos, in)
	}
	if err != nil {
		return f, 0, err
	}
	if f.length > in.end-f.start {
		return f, 0, s.tooLong(f, in)
	}
	return f, f.start + f.length, nil
}

// maxGroups is how deep protobuf lets groups nest.
const maxGroups = 100

// group measures a group, an old form of message that ONNX does not use but protobuf skips.
func (s *source) group(group field, in section, depth int) (int64, error) {
	if depth == 0 {
		return 0, s.broken(group.start, in)
	}
	for pos := group.start; ; {
		tag, n, err := s.varint(pos, in)
		if err != nil {
			return 0, err
		}
		number, wire := protowire.DecodeTag(tag)
		if wire == protowire.EndGroupType && int32(number) == group.number {
			return pos + n - group.start, nil
		}
		if wire == protowire.StartGroupType {
			inner := field{number: int32(number), start: pos + n}
			length, err := s.group(inner, in, depth-1)
			if err != nil {
				return 0, err
			}
			pos = inner.start + length
			continue
		}
		if _, pos, err = s.field(pos, in); err != nil {
			return 0, err
		}
	}
}

// tooLong distinguishes a file that was cut off from one that contradicts itself.
func (s *source) tooLong(f field, in section) error {
	if in.end == s.size || f.length > s.size-f.start {
		return &Error{Offset: s.size, Truncated: true, Message: fmt.Sprintf(
			"the file ends inside %s: %d bytes are missing; it was cut off or is still being copied, or it is not a valid %s",
			in.what, f.length-(s.size-f.start), s.format)}
	}
	return s.broken(f.start, in)
}

// broken says that bytes make no message.
func (s *source) broken(offset int64, in section) error {
	return &Error{Offset: offset, Message: fmt.Sprintf(
		"this is not a valid %s: %s cannot be read at byte %d", s.format, in.what, offset)}
}

func (s *source) varint(pos int64, in section) (uint64, int64, error) {
	b, err := s.at(pos)
	if err != nil {
		return 0, 0, err
	}
	b = b[:min(int64(len(b)), in.end-pos)]
	v, n := protowire.ConsumeVarint(b)
	if n >= 0 {
		return v, int64(n), nil
	}
	if in.end == s.size && errors.Is(protowire.ParseError(n), io.ErrUnexpectedEOF) {
		return 0, 0, &Error{Offset: s.size, Truncated: true, Message: "the file ends inside " + in.what +
			": it was cut off or is still being copied, or it is not a valid " + s.format}
	}
	return 0, 0, s.broken(pos, in)
}

// at returns the bytes from pos on: at least ten, unless the file ends before.
func (s *source) at(pos int64) ([]byte, error) {
	const longestVarint = 10
	have := s.base + int64(len(s.window)) - pos
	if pos < s.base || have < longestVarint && s.base+int64(len(s.window)) < s.size {
		if err := s.fill(pos); err != nil {
			return nil, err
		}
	}
	offset := min(pos-s.base, int64(len(s.window)))
	return s.window[offset:], nil
}

func (s *source) fill(pos int64) error {
	if s.buffer == nil {
		s.buffer = make([]byte, min(windowSize, s.size))
	}
	n, err := s.r.ReadAt(s.buffer[:min(int64(len(s.buffer)), s.size-pos)], pos)
	s.window, s.base = s.buffer[:n], pos
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read model file: %w", err)
	}
	return nil
}

// string reads a field's content as text.
func (s *source) string(f field) (string, error) {
	if f.length > maxText {
		return "", &Error{Offset: f.start, Message: fmt.Sprintf(
			"this is not a valid %s: a text of %d bytes at byte %d", s.format, f.length, f.start)}
	}
	if offset := f.start - s.base; offset >= 0 && offset+f.length <= int64(len(s.window)) {
		return string(s.window[offset : offset+f.length]), nil
	}
	text := make([]byte, f.length)
	n, err := s.r.ReadAt(text, f.start)
	if int64(n) == f.length {
		return string(text), nil
	}
	if errors.Is(err, io.EOF) {
		return "", &Error{Offset: f.start + int64(n), Truncated: true,
			Message: "the file became shorter while it was read"}
	}
	return "", fmt.Errorf("read model file: %w", err)
}

// text reads f. A field of another wire type is skipped, as protobuf does.
func (s *source) text(f field, into *string) error {
	if f.wire != wireBytes {
		return nil
	}
	text, err := s.string(f)
	*into = text
	return err
}

// message reads the fields inside f, with the same leniency as text.
func (s *source) message(f field, what string, visit func(field) error) error {
	if f.wire != wireBytes {
		return nil
	}
	return s.each(section{start: f.start, end: f.start + f.length, what: what}, visit)
}
