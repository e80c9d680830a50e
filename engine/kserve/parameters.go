package kserve

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// SortedKeys returns a map's keys in order, so that results made from a map are the same every
// time.
func SortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m)) // slices.Collect would take memory several times
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// Microseconds returns a duration from a request. A value that is too large for a Duration is cut.
func Microseconds(us uint64) time.Duration {
	return time.Duration(min(us, math.MaxInt64/1000)) * time.Microsecond
}
