package region

import (
	"errors"
	"io"
	"os"

	"conch/engine/kserve/region/mapped"
)

// memory is where the bytes of a region are. Offsets are in the region, and what is asked for is within it.
type memory interface {
	// bytes are the memory itself; nil where this process cannot reach it.
	bytes() []byte
	read(to []byte, offset uint64) error
	write(from []byte, offset uint64) error
	// whole returns an error when its client has taken away a part before this end. errShorter says that it is shorter now.
	whole(end uint64) error
	close() error
}

var (
	errShorter = errors.New("it is shorter than when it was registered")
	errTorn    = errors.New("a part of it was gone when it was needed: register it again")
)

// object is a part of a shared memory object of the system.
type object struct {
	file   *os.File
	info   os.FileInfo // tells which object it is; nil where that is not known
	offset uint64
	// mapped is the part in this process; nil where it cannot be mapped.
	mapped *mapped.Memory
}

func newObject(f *os.File, offset, size uint64) *object {
	o := &object{file: f, offset: offset}
	if info, err := f.Stat(); err == nil {
		o.info = info
	}
	if m, err := mapped.Map(f, int64(offset), int(size)); err == nil {
		o.mapped = m
	}
	return o
}

func (o *object) bytes() []byte {
	if o.mapped == nil {
		return nil
	}
	return o.mapped.Bytes()
}

func (o *object) read(to []byte, offset uint64) error {
	if from := o.bytes(); from != nil {
		copy(to, from[offset:])
		return o.whole(offset + uint64(len(to)))
	}
	_, err := o.file.ReadAt(to, int64(o.offset+offset))
	if err == io.EOF {
		return errShorter
	}
	return err
}

func (o *object) write(from []byte, offset uint64) error {
	end := offset + uint64(len(from))
	// A write behind the end would lengthen what the client has shortened.
	if err := o.whole(end); err != nil {
		return err
	}
	if to := o.bytes(); to != nil {
		copy(to[offset:], from)
		return o.whole(end)
	}
	_, err := o.file.WriteAt(from, int64(o.offset+offset))
	return err
}

func (o *object) whole(end uint64) error {
	info, err := o.file.Stat()
	switch {
	case err != nil:
		return err
	case uint64(info.Size()) < o.offset+end:
		return errShorter
	case o.mapped != nil && o.mapped.Torn():
		return errTorn
	}
	return nil
}

func (o *object) close() error {
	if o.mapped != nil {
		o.mapped.Close()
	}
	return o.file.Close()
}
