package kserve

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"
)

// SortedKeys are a map's keys in order, so that what is made from a map is the same every time.
func SortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// Microseconds is a duration from a request; what is too long for a Duration is cut.
func Microseconds(us uint64) time.Duration {
	return time.Duration(min(us, math.MaxInt64/1000)) * time.Microsecond
}
