package region

import (
	"errors"
	"io"
	"math"

	"conch/engine/infer"
)

// Span is a part of a region that a request uses. Its user calls Release.
type Span struct {
	regions *Regions
	region  *region
	// offset is in the shared memory object.
	offset int64
	size   uint64
}

// Use returns a part of a region, and keeps the region until Release. offset is in the region, in bytes.
func (r *Regions) Use(name string, offset, size uint64) (*Span, error) {
	unknown := infer.Errorf(infer.NotFound, "Unable to find shared memory region: '%s'", name)
	if r == nil {
		return nil, unknown
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	one := r.byName[name]
	switch {
	case one == nil:
		return nil, unknown
	case offset >= one.Size:
		return nil, infer.Errorf(infer.InvalidArg, "Invalid offset for shared memory region: '%s'", name)
	case size > math.MaxUint64-offset:
		return nil, infer.Errorf(infer.InvalidArg, "Integer overflow detected: byte_size (%d) + offset (%d) exceeds maximum "+
			"value (%d) for region '%s'", size, offset, uint64(math.MaxUint64), name)
	case offset+size > one.Size:
		return nil, infer.Errorf(infer.InvalidArg, "Invalid offset + byte size for shared memory region: '%s'", name)
	}
	one.uses++
	return &Span{regions: r, region: one, offset: int64(one.Offset + offset), size: size}, nil
}

// Release tells that the request needs the span no more. It is called once.
func (s *Span) Release() {
	s.regions.mu.Lock()
	defer s.regions.mu.Unlock()
	if s.region.uses--; s.region.leaving {
		s.regions.remove(s.region)
	}
}

// Size is the length in bytes.
func (s *Span) Size() uint64 { return s.size }

// Bytes are those of the span itself, until Release; nil where the region is not mapped. Its client may change them at any time,
// also between two looks at one byte. Who has used them must call Whole.
func (s *Span) Bytes() []byte {
	memory := s.region.memory
	if memory == nil {
		return nil
	}
	at := s.offset - int64(s.region.Offset)
	return memory.Bytes()[at : at+int64(s.size) : at+int64(s.size)]
}

// Whole returns an error when the client has shortened the region, so that what was read is not what it wrote.
func (s *Span) Whole() error {
	info, err := s.region.file.Stat()
	switch {
	case err != nil:
	case info.Size() < s.offset+int64(s.size):
		err = io.ErrUnexpectedEOF
	case s.region.memory != nil && s.region.memory.Torn():
		err = errTorn
	default:
		return nil
	}
	return s.gone(err)
}

var errTorn = errors.New("a part of it was gone when it was needed: register it again")

// Read fills a buffer of Size bytes.
func (s *Span) Read(to []byte) error {
	if from := s.Bytes(); from != nil {
		copy(to, from)
		return s.Whole()
	}
	if _, err := s.region.file.ReadAt(to, s.offset); err != nil {
		return s.gone(err)
	}
	return nil
}

// Write writes the values of an output to the beginning of the span.
func (s *Span) Write(output string, data []byte) error {
	if uint64(len(data)) > s.size {
		return infer.Errorf(infer.Internal, "shared memory size specified with the request for output '%s' (%d bytes) should be "+
			"at least %d bytes to hold the results", output, s.size, len(data))
	}
	used := &Span{regions: s.regions, region: s.region, offset: s.offset, size: uint64(len(data))}
	// A write behind the end would lengthen what the client has shortened.
	if err := used.Whole(); err != nil {
		return err
	}
	if to := used.Bytes(); to != nil {
		copy(to, data)
		return used.Whole()
	}
	if _, err := s.region.file.WriteAt(data, s.offset); err != nil {
		return s.gone(err)
	}
	return nil
}

func (s *Span) gone(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return infer.Errorf(infer.InvalidArg, "shared memory region '%s' is shorter than when it was registered: register it again",
			s.region.Name)
	}
	return infer.Errorf(infer.Internal, "shared memory region '%s' cannot be used: %v", s.region.Name, err)
}
