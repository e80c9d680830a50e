package region

import (
	"errors"
	"math"
	"os"

	"conch/engine/infer"
)

// Span is a part of a region that a request uses. Its user calls Release.
type Span struct {
	regions *Regions
	region  *region
	// offset is in the region.
	offset, size uint64
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
	return &Span{regions: r, region: one, offset: offset, size: size}, nil
}

// Release tells that the request needs the span no more. It is called once.
func (s *Span) Release() {
	if s.ended() {
		_ = s.region.memory.close() // nobody waits for what it says
	}
}

// ended reports that this was the last use of a region that was unregistered.
func (s *Span) ended() bool {
	s.regions.mu.Lock()
	defer s.regions.mu.Unlock()
	s.region.uses--
	last := s.region.leaving && s.region.uses == 0
	if last {
		delete(s.regions.byName, s.region.Name)
	}
	return last
}

// Size is the length in bytes.
func (s *Span) Size() uint64 { return s.size }

// Bytes are those of the span itself, until Release; nil where the region is not mapped. Its client may change them at any time,
// also between two looks at one byte. Who has used them must call Whole.
func (s *Span) Bytes() []byte {
	all := s.region.memory.bytes()
	if all == nil {
		return nil
	}
	return all[s.offset : s.offset+s.size : s.offset+s.size]
}

// Overlaps reports whether two spans may have bytes of one shared memory object in common, also in two regions.
func (s *Span) Overlaps(o *Span) bool {
	one, is := s.region.memory.(*object)
	other, too := o.region.memory.(*object)
	if !is || !too {
		return false
	}
	same := one.info == nil || other.info == nil || os.SameFile(one.info, other.info)
	from, to := one.offset+s.offset, other.offset+o.offset
	return same && from < to+o.size && to < from+s.size
}

// Whole returns an error when the client has shortened the region, so that what was read is not what it wrote.
func (s *Span) Whole() error { return s.told(s.region.memory.whole(s.offset + s.size)) }

// Read fills a buffer of Size bytes.
func (s *Span) Read(to []byte) error { return s.told(s.region.memory.read(to, s.offset)) }

// Write writes the values of an output to the beginning of the span.
func (s *Span) Write(output string, data []byte) error {
	if uint64(len(data)) > s.size {
		return infer.Errorf(infer.Internal, "shared memory size specified with the request for output '%s' (%d bytes) should be "+
			"at least %d bytes to hold the results", output, s.size, len(data))
	}
	return s.told(s.region.memory.write(data, s.offset))
}

// told names the region in an error.
func (s *Span) told(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errShorter):
		return infer.Errorf(infer.InvalidArg, "shared memory region '%s' is shorter than when it was registered: register it again",
			s.region.Name)
	}
	s.regions.note(int64(s.region.Device), err)
	return infer.Errorf(infer.Internal, "shared memory region '%s' cannot be used: %v", s.region.Name, err)
}
