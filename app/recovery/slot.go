package recovery

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
)

// A slot begins with a head: this mark, the slot's number, the length of the content, and the checksum
// of all that.
var slotMark = [8]byte{'c', 'o', 'n', 'c', 'h', ' ', 'r', '1'}

const (
	slotNumber = len(slotMark)
	slotLength = slotNumber + 8
	slotSum    = slotLength + 8
	slotHead   = slotSum + sha256.Size
)

func pack(number uint64, content record) ([]byte, error) {
	text, err := encode(content)
	if err != nil {
		return nil, err
	}
	var slot bytes.Buffer
	slot.Write(make([]byte, slotHead))
	zip := gzip.NewWriter(&slot)
	if _, err = zip.Write(text); err == nil {
		err = zip.Close()
	}
	b := slot.Bytes()
	copy(b, slotMark[:])
	binary.LittleEndian.PutUint64(b[slotNumber:], number)
	binary.LittleEndian.PutUint64(b[slotLength:], uint64(len(b)-slotHead))
	sum := checksum(b)
	copy(b[slotSum:], sum[:])
	return b, err
}

// checksum returns the checksum of a slot, without the bytes of the checksum itself.
func checksum(slot []byte) [sha256.Size]byte {
	h := sha256.New()
	h.Write(slot[:slotSum])
	h.Write(slot[slotHead:])
	return [sha256.Size]byte(h.Sum(nil))
}

var (
	errNotWhole  = errors.New("what is written there is damaged")
	errUnwritten = errors.New("nothing is written there")
	errOtherForm = errors.New("another version of Conch wrote it")
)

// marked fails where a slot does not begin with the mark. A mark whose write was cut off is its first
// bytes, followed by zeros.
func marked(head []byte) error {
	mark, same := head[:len(slotMark)], 0
	for same < len(mark) && mark[same] == slotMark[same] {
		same++
	}
	switch {
	case same == len(mark):
		return nil
	case len(bytes.Trim(mark[same:], "\x00")) > 0:
		return errOtherForm
	case same == 0:
		return errUnwritten
	}
	return errNotWhole
}

func unpack(slot *io.SectionReader) (content record, number uint64, err error) {
	head := make([]byte, slotHead)
	if _, err := slot.ReadAt(head, 0); err != nil {
		return record{}, 0, err
	}
	if err := marked(head); err != nil {
		return record{}, 0, err
	}
	length := binary.LittleEndian.Uint64(head[slotLength:])
	if length > uint64(slot.Size())-uint64(slotHead) {
		return record{}, 0, errNotWhole
	}
	whole := make([]byte, uint64(slotHead)+length)
	if _, err := slot.ReadAt(whole, 0); err != nil {
		return record{}, 0, err
	}
	if sum := checksum(whole); !bytes.Equal(sum[:], head[slotSum:]) {
		return record{}, 0, errNotWhole
	}
	zip, err := gzip.NewReader(bytes.NewReader(whole[slotHead:]))
	if err != nil {
		return record{}, 0, err
	}
	text, err := io.ReadAll(zip)
	if err == nil {
		content, err = decode(text)
	}
	return content, binary.LittleEndian.Uint64(head[slotNumber:]), err
}
