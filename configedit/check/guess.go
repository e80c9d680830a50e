package check

import (
	"strings"

	"conch/configedit/diag"
)

// guess is the candidate that a misspelt name most likely means, "" if none is near.
func guess(word string, candidates []string) string {
	best, distance := "", len(word)/3+1
	for _, candidate := range candidates {
		if candidate == word || abs(len(candidate)-len(word)) > distance {
			continue
		}
		d := distanceOf(strings.ToLower(word), strings.ToLower(candidate))
		if d < distance || d == distance && best == "" {
			best, distance = candidate, d
		}
	}
	return best
}

// didYouMean is the tail of a sentence and the fix for a misspelt name.
func didYouMean(word, better string, span diag.Span, quoted string) (string, []diag.Fix) {
	if better == "" {
		return "", nil
	}
	return say("; did you mean %q?", better), replace(say("replace %s by %s", word, better), span, quoted)
}

// maxWord bounds the names that are compared.
const maxWord = 128

// distanceOf counts the letters to insert, drop or replace.
func distanceOf(a, b string) int {
	if len(a) > maxWord || len(b) > maxWord {
		return maxWord
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

func abs(n int) int { return max(n, -n) }
