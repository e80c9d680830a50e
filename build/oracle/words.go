package main

import (
	"encoding/json"
	"regexp"
	"strings"
)

var (
	pollFailed  = regexp.MustCompile(`"Poll failed for model directory '([^']*)': (.*)"$`)
	parseFailed = regexp.MustCompile(`Error parsing text-format inference\.ModelConfig: (.*)$`)
)

// pollReason is why a model's folder was refused, from the log; for a text that does not parse, the parser's words.
func pollReason(log []byte, model string) string {
	var parser []string
	reason := ""
	for line := range strings.Lines(string(log)) {
		line = strings.TrimRight(line, "\r\n")
		if m := parseFailed.FindStringSubmatch(line); m != nil {
			parser = append(parser, m[1])
			continue
		}
		if m := pollFailed.FindStringSubmatch(line); m != nil {
			words := unquoted(m[2])
			if m[1] == model {
				reason = words
				if strings.HasPrefix(words, "failed to read text proto from") {
					reason = strings.Join(parser, "\n")
				}
			}
			parser = nil
		}
	}
	return reason
}

// unquoted undoes the JSON form in which the log writes its sentences.
func unquoted(s string) string {
	var out string
	if json.Unmarshal([]byte(`"`+s+`"`), &out) == nil {
		return out
	}
	return s
}
