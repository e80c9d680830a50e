package store

import (
	"encoding/binary"
	"fmt"
	"math"

	"conch/engine/histogram"
)

// encodeHistogram writes gaps between indexes and counts as varints: two to four bytes a bucket. It
// returns nil for an empty histogram.
func encodeHistogram(h histogram.Counts) []byte {
	if len(h.Index) == 0 {
		return nil
	}
	out := make([]byte, 0, 4*len(h.Index))
	last := uint32(0)
	for i, index := range h.Index {
		out = binary.AppendUvarint(out, uint64(index-last))
		out = binary.AppendUvarint(out, h.Count[i])
		last = index
	}
	return out
}

func decodeHistogram(blob []byte) (histogram.Counts, error) {
	var h histogram.Counts
	index := uint64(0)
	for len(blob) > 0 {
		gap, n := binary.Uvarint(blob)
		if n <= 0 {
			return histogram.Counts{}, fmt.Errorf("read histogram: bad bucket number")
		}
		count, m := binary.Uvarint(blob[n:])
		if m <= 0 {
			return histogram.Counts{}, fmt.Errorf("read histogram: bad count")
		}
		blob = blob[n+m:]
		index += gap
		if index > math.MaxUint32 {
			return histogram.Counts{}, fmt.Errorf("read histogram: bucket %d does not exist", index)
		}
		h.Append(uint32(index), count)
	}
	return h, nil
}
