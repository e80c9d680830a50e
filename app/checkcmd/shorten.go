package checkcmd

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"conch/configedit/diag"
)

// Output for people is limited, since one mistake can have thousands of consequences: 200 ensembles
// that name each other gave 100,000 lines. Formats for programs have all that the check lists.
const (
	// shownAlike is how many findings of one code are shown for a file.
	shownAlike = 10
	// shownBeside is how many findings are shown in all, besides the most important one of each file.
	shownBeside = 500
)

// shortened returns the reports with the findings that are shown. Each says how many it leaves out.
// The counts stay those of the whole result.
func (r *Result) shortened() []Report {
	left := shownBeside
	reports := slices.Clone(r.Reports)
	for i := range reports {
		reports[i].shorten(&left)
	}
	return reports
}

// shorten removes findings from a report. It keeps the most important one and at most left others.
func (r *Report) shorten(left *int) {
	main := r.main()
	alike, omitted := map[string]int{}, map[string]int{}
	var list []diag.Diagnostic
	for i, d := range r.List {
		switch {
		case i == main:
		case alike[d.Code] >= shownAlike || *left == 0:
			omitted[d.Code] += 1 + d.Unlisted
			r.unlisted = r.unlisted || d.Unlisted > 0
			continue
		default:
			*left--
		}
		alike[d.Code]++
		list = append(list, d)
	}
	r.List, r.omitted = list, omitted
}

// main returns the index of the most important finding: what Triton stops at, or the first error, or
// the first of all.
func (r *Report) main() int {
	if at := slices.IndexFunc(r.List, func(d diag.Diagnostic) bool { return d.First }); at >= 0 {
		return at
	}
	return max(0, slices.IndexFunc(r.List, func(d diag.Diagnostic) bool { return d.Severity.IsError() }))
}

// rest says what a report leaves out; "" when nothing.
func (r *Report) rest() string {
	if len(r.omitted) == 0 {
		return ""
	}
	var parts []string
	for _, code := range slices.Sorted(maps.Keys(r.omitted)) {
		parts = append(parts, fmt.Sprintf("%d more [%s]", r.omitted[code], code))
	}
	rest := strings.Join(parts, ", ") + "; --format json has "
	if r.unlisted {
		return rest + "more of them, and says how many it leaves out"
	}
	return rest + "all of them"
}
