package wire

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"conch/build/golden/exchange"
)

// A request of the metrics page says behind "show:" with which words the lines begin that the case compares; a word
// behind # is for the heads of families alone. The order of the lines is not compared. For durations, quantiles, buckets
// of durations and what the machine has stands N.
const show = "show:"

var (
	measured = regexp.MustCompile(`^((nv_\S*_us(_sum)?|nv_\S*_ms_(sum|bucket)|nv_\S*_duration(_per_model)?|nv_cpu\S*|nv_pinned\S*|nv_\S*_secs)(\{[^}]*\})?) [0-9.e+-]+$`)
	quantile = regexp.MustCompile(`^(\S*quantile="[^"]*"[^}]*\}) [0-9.e+]+$`)
)

// page reads the page and keeps what the case shows.
func page(ctx context.Context, address, request string) (string, error) {
	first, lines, _ := exchange.Head(request)
	var words []string
	sent := first + "\n"
	for _, line := range lines {
		if text, ok := strings.CutPrefix(line, show); ok {
			words = strings.Fields(text)
		} else {
			sent += line + "\n"
		}
	}
	answer, err := overHTTP(ctx, address, sent, false)
	if err != nil {
		return "", err
	}
	top, body, _ := strings.Cut(answer, "\n\n")
	var kept []string
	for line := range strings.Lines(string(exchange.Unescape(body))) {
		if begins(line, words) {
			kept = append(kept, steady(strings.TrimSuffix(line, "\n"))+"\n")
		}
	}
	slices.Sort(kept)
	return top + "\n\n" + strings.Join(kept, ""), nil
}

// begins tells whether a line of the page, or of the head of a family, is about one of the words.
func begins(line string, words []string) bool {
	about := strings.TrimPrefix(strings.TrimPrefix(line, "# HELP "), "# TYPE ")
	if about != line {
		about = "#" + about
	}
	for _, word := range words {
		if strings.HasPrefix(about, word) {
			return true
		}
	}
	return false
}

func steady(line string) string {
	line = quantile.ReplaceAllString(line, "$1 N")
	return measured.ReplaceAllString(line, "$1 N")
}
