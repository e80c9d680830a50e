package mend_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"conch/configedit/check"
	"conch/configedit/derive"
	"conch/configedit/diag"
	"conch/configedit/mend"
	"conch/configedit/modelconfig"
	"conch/configedit/text"
)

// judge is `conch check FILE`: what is wrong with one config, and the config.
func judge(src string) ([]diag.Diagnostic, *modelconfig.ModelConfig) {
	decoded, syntax := modelconfig.Parse("config.pbtxt", []byte(src))
	m := &check.Model{Decoded: decoded, Syntax: syntax, Facts: derive.Facts{ModelName: "m", AutoComplete: true}}
	m.Effective, _, m.Problem = derive.Effective(decoded.Config, m.Facts)
	list := slices.Concat(syntax, check.Check(m, nil))
	diag.Sort(list)
	return list, decoded.Config
}

// mutant is a config from which something was deleted.
type mutant struct {
	original, src string
	// gone is what was deleted, at is where, and kind is what it was.
	gone string
	at   int
	kind string
}

// mutate deletes one character or one token.
func mutate(r *rand.Rand, original string) (mutant, bool) {
	doc, _ := text.Parse(text.NewFile("", []byte(original)))
	tokens := doc.Tokens[:len(doc.Tokens)-1]
	if len(tokens) == 0 {
		return mutant{}, false
	}
	token := tokens[r.IntN(len(tokens))]
	span := token.Span
	kind := map[text.Kind]string{text.Identifier: "word", text.Integer: "number", text.Float: "number", text.String: "string"}[token.Kind]
	if token.Kind == text.Symbol {
		kind = original[span.Start:span.End]
	} else if r.IntN(2) == 0 {
		at := span.Start + r.IntN(span.Len())
		if token.Kind == text.String && r.IntN(2) == 0 { // its quotes, too, have to be met often
			at = []int{span.Start, span.End - 1}[r.IntN(2)]
		}
		span = text.Span{Start: at, End: at + 1}
		kind = "letter"
		if c := original[at]; c == '"' || c == '\'' {
			kind = "quote"
		}
	}
	return mutant{
		original: original, src: original[:span.Start] + original[span.End:],
		gone: original[span.Start:span.End], at: span.Start, kind: kind,
	}, true
}

// tally counts, for the mutants of one kind, what became of them.
type tally struct {
	all, one, two int // how many there are, with exactly one error, with at most two
	placed        int // with an error at the right place
	restored      int // that are the original again after all fixes, blanks aside
	mended        int // that Triton takes after the safe fixes
	changed       int // of these, with another meaning than the original
}

const mutants = 6000

// TestMutations deletes one character or one token of configs in which nothing is wrong, and measures what is said of
// it and what the fixes make of it.
func TestMutations(t *testing.T) {
	configs := corpus(t)
	r := rand.New(rand.NewPCG(10, 3))
	tallies := map[string]*tally{"all": {}}
	for tallies["all"].all < mutants {
		m, ok := mutate(r, configs[r.IntN(len(configs))])
		if !ok {
			continue
		}
		list, _ := judge(m.src)
		if len(errorsOf(list)) == 0 {
			continue // another config, which Triton takes too
		}
		if tallies[m.kind] == nil {
			tallies[m.kind] = &tally{}
		}
		for _, tl := range []*tally{tallies["all"], tallies[m.kind]} {
			tl.count(m, list)
		}
	}
	t.Log("\n" + table(tallies))
	tallies["all"].holds(t)
}

// Floors of what is reached, in percent.
const (
	floorOne, floorTwo, floorPlaced, floorRestored, floorMended = 99, 99, 99, 70, 39
)

func (tl *tally) holds(t *testing.T) {
	t.Helper()
	for _, f := range []struct {
		what         string
		count, floor int
	}{
		{"have exactly one error", tl.one, floorOne}, {"have at most two", tl.two, floorTwo},
		{"have an error at the right place", tl.placed, floorPlaced},
		{"are restored by the fixes and suggestions", tl.restored, floorRestored},
		{"are taken after the safe fixes", tl.mended, floorMended},
	} {
		if share := 100 * f.count / tl.all; share < f.floor {
			t.Errorf("%d %% %s; it should be %d %%", share, f.what, f.floor)
		}
	}
	if tl.changed > 0 {
		t.Errorf("after the safe fixes %d are taken with another meaning", tl.changed)
	}
}

// table writes the tallies by what was deleted.
func table(tallies map[string]*tally) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-8s %6s %7s %7s %7s %9s %7s %8s\n", "deleted", "all", "one", "two", "placed", "restored", "mended", "changed")
	for _, kind := range slices.Sorted(maps.Keys(tallies)) {
		tl := tallies[kind]
		share := func(n int) float64 { return 100 * float64(n) / float64(tl.all) }
		fmt.Fprintf(&b, "%-8s %6d %6.1f%% %6.1f%% %6.1f%% %8.1f%% %6.1f%% %8d\n", kind, tl.all,
			share(tl.one), share(tl.two), share(tl.placed), share(tl.restored), share(tl.mended), tl.changed)
	}
	return b.String()
}

func (tl *tally) count(m mutant, list []diag.Diagnostic) {
	tl.all++
	found := errorsOf(list)
	if len(found) == 1 {
		tl.one++
	}
	if len(found) <= 2 {
		tl.two++
	}
	if near(m, found) {
		tl.placed++
	}
	if strings.Join(strings.Fields(fixed(m.src, true)), "") == strings.Join(strings.Fields(m.original), "") {
		tl.restored++
	}
	after := fixed(m.src, false)
	if after == m.src {
		return
	}
	left, cfg := judge(after)
	if len(errorsOf(left)) > 0 {
		return
	}
	tl.mended++
	_, intended := judge(m.original)
	if !proto.Equal(cfg, intended) {
		tl.changed++
	}
}

// near reports whether an error, or what its fix changes, reaches the place of what was deleted. Between them stand only
// blanks, or brackets of the same kind: of two that close side by side nobody can tell which one is missing.
func near(m mutant, found []diag.Diagnostic) bool {
	reaches := func(s diag.Span) bool {
		between := m.src[min(s.End, m.at):m.at]
		if s.Start > m.at {
			between = m.src[m.at:s.Start]
		}
		return strings.Trim(between, " \t\r\n"+closers(m.gone)) == ""
	}
	return slices.ContainsFunc(found, func(d diag.Diagnostic) bool {
		return reaches(d.Span) || slices.ContainsFunc(d.Fixes, func(f diag.Fix) bool {
			return slices.ContainsFunc(f.Edits, func(e diag.Edit) bool { return reaches(e.Span) })
		})
	})
}

// closers is what was deleted if it is a closing bracket.
func closers(gone string) string {
	if gone == "}" || gone == "]" {
		return gone
	}
	return ""
}

// fixed is a text after all rounds of repairs.
func fixed(src string, suggestions bool) string {
	for range 8 {
		list, _ := judge(src)
		var edits []diag.Edit
		for _, r := range mend.Choose(list, suggestions) {
			if len(r.Fix.Edits) > 0 && r.Fix.Edits[0].File == "" {
				edits = append(edits, r.Fix.Edits...)
			}
		}
		if len(edits) == 0 {
			break
		}
		src = mend.Apply(src, edits)
	}
	return src
}
