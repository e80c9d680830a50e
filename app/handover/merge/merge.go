// Package merge joins what two sides made of one text, line by line. It is pure.
package merge

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Conflict is a place that a person and the program both changed. The person's text is kept.
type Conflict struct {
	// Line is where the place begins in the file as it is now, from 1.
	Line int
	// Kept is what a person wrote, and Offered what the program has there.
	Kept, Offered string
}

// change is a range of lines of the base that one side replaced.
type change struct {
	from, to int // lines of the base, to is not part of it
	lines    []string
}

// changesOf lists what one side changed, in order and with whole lines.
func changesOf(base, side string) []change {
	starts := map[int]int{0: 0} // the number of a line by its first byte
	at := 0
	for i, line := range splitLines(base) {
		at += len(line)
		starts[at] = i + 1
	}
	var list []change
	for _, e := range udiff.Lines(base, side) {
		list = append(list, change{starts[e.Start], starts[e.End], splitLines(e.New)})
	}
	return list
}

func splitLines(text string) []string { return slices.Collect(strings.Lines(text)) }

// Texts joins two texts that were both made from base: what a person has (mine) and what the program writes now (fresh).
// Where both changed the same lines, or lines beside each other, in different ways, the person's stay.
func Texts(base, mine, fresh string) (text string, conflicts []Conflict) {
	lines := splitLines(base)
	ours, theirs := changesOf(base, mine), changesOf(base, fresh)
	var out []string
	at := 0
	for len(ours)+len(theirs) > 0 {
		r := nextRegion(&ours, &theirs)
		out = append(out, lines[at:r.at]...)
		kept, offered := apply(lines, r, r.ours), apply(lines, r, r.theirs)
		switch {
		case len(r.ours) == 0:
			kept = offered
		case len(r.theirs) > 0 && kept != offered:
			conflicts = append(conflicts, Conflict{Line: len(out) + 1, Kept: kept, Offered: offered})
		}
		out = append(out, splitLines(kept)...)
		at = r.end
	}
	return strings.Join(append(out, lines[at:]...), ""), conflicts
}

// region is a part of the base with the changes of both sides that touch each other.
type region struct {
	at, end      int
	ours, theirs []change
}

// nextRegion takes the changes of the next region from both lists.
func nextRegion(ours, theirs *[]change) (r region) {
	first := func(list []change) int {
		if len(list) == 0 {
			return int(^uint(0) >> 1)
		}
		return list[0].from
	}
	r.at = min(first(*ours), first(*theirs))
	r.end = r.at
	for {
		switch {
		case len(*ours) > 0 && (*ours)[0].from <= r.end:
			r.ours, r.end = append(r.ours, (*ours)[0]), max(r.end, (*ours)[0].to)
			*ours = (*ours)[1:]
		case len(*theirs) > 0 && (*theirs)[0].from <= r.end:
			r.theirs, r.end = append(r.theirs, (*theirs)[0]), max(r.end, (*theirs)[0].to)
			*theirs = (*theirs)[1:]
		default:
			return r
		}
	}
}

// apply returns the text of a region with the changes of one side.
func apply(lines []string, r region, changes []change) string {
	var b strings.Builder
	at := r.at
	for _, c := range changes {
		b.WriteString(strings.Join(lines[at:c.from], "") + strings.Join(c.lines, ""))
		at = c.to
	}
	b.WriteString(strings.Join(lines[at:r.end], ""))
	return b.String()
}
