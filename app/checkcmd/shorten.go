package checkcmd

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"conch/configedit/diag"
)

// What is written for people has bounds, since one mistake can have thousands of consequences: 200 ensembles that name
// each other gave 100,000 lines. Formats for programs have everything.
const (
	// shownAlike is how many findings of one code are shown of a file.
	shownAlike = 10
	// shownBeside is how many findings are shown of a run beside the most important one of each file.
	shownBeside = 500
)

// shortened is a result with what is shown of it. What is left out of a file is told with it; the counts stay those of the
// whole result.
func (r *Result) shortened() []Report {
	left := shownBeside
	reports := slices.Clone(r.Reports)
	for i := range reports {
		reports[i].shorten(&left)
	}
	return reports
}

// shorten leaves findings out of a report, with at most left of them beside the most important one.
func (r *Report) shorten(left *int) {
	main := r.main()
	alike, omitted := map[string]int{}, map[string]int{}
	var list []diag.Diagnostic
	for i, d := range r.List {
		switch {
		case i == main:
		case alike[d.Code] >= shownAlike || *left == 0:
			omitted[d.Code]++
			continue
		default:
			*left--
		}
		alike[d.Code]++
		list = append(list, d)
	}
	r.List, r.omitted = list, omitted
}

// main is the place of the most important finding: what Triton stops at, or the first error, or the first of all.
func (r *Report) main() int {
	if at := slices.IndexFunc(r.List, func(d diag.Diagnostic) bool { return d.First }); at >= 0 {
		return at
	}
	return max(0, slices.IndexFunc(r.List, func(d diag.Diagnostic) bool { return d.Severity.IsError() }))
}

// rest says what is left out of a report; "" when nothing is.
func (r *Report) rest() string {
	if len(r.omitted) == 0 {
		return ""
	}
	var parts []string
	for _, code := range slices.Sorted(maps.Keys(r.omitted)) {
		parts = append(parts, fmt.Sprintf("%d more [%s]", r.omitted[code], code))
	}
	return strings.Join(parts, ", ") + "; --format json has all of them"
}
