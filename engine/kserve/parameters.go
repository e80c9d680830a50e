package kserve

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"
)

// SortedKeys returns a map's keys in order, so that results made from a map are the same every
// time.
func SortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// Microseconds returns a duration from a request. A value that is too large for a Duration is cut.
func Microseconds(us uint64) time.Duration {
	return time.Duration(min(us, math.MaxInt64/1000)) * time.Microsecond
}
