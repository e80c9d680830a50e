package check

import (
	"strings"

	"conch/configedit/diag"
	"conch/configedit/near"
)

// guess returns the candidate that a misspelt name most likely means, or "" if none is similar.
func guess(word string, candidates []string) string {
	best, distance := "", len(word)/3+1
	for _, candidate := range candidates {
		if candidate == word || abs(len(candidate)-len(word)) > distance {
			continue
		}
		d := near.Distance(strings.ToLower(word), strings.ToLower(candidate))
		if d < distance || d == distance && best == "" {
			best, distance = candidate, d
		}
	}
	return best
}

// didYouMean returns the end of a sentence and the fix for a misspelt name.
func didYouMean(word, better string, span diag.Span, quoted string) (string, []diag.Fix) {
	if better == "" {
		return "", nil
	}
	return say("; did you mean %q?", better), replace(say("replace %s by %s", word, better), span, quoted)
}

func abs(n int) int { return max(n, -n) }
