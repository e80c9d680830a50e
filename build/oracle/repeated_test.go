package main

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// Only what repeats itself each time takes the place of a recording.
func TestRecordingIsReplacedByWhatRepeats(t *testing.T) {
	for played, want := range map[string]string{
		"old":             "old",
		"new old":         "old",
		"new new new old": "old",
		"new new new new": "new",
		"new new late":    "",
		"late new":        "",
		"new broken":      "broken",
	} {
		left := strings.Fields(played)
		got, err := repeated("old", func() (string, error) {
			outcome := left[0]
			left = slices.Delete(left, 0, 1)
			if outcome == "broken" {
				return "", errors.New(outcome)
			}
			return outcome, nil
		})
		var differs differing
		switch {
		case want == "":
			if !errors.As(err, &differs) {
				t.Errorf("%s: %q, %v; it must stay as recorded", played, got, err)
			}
		case want == "broken":
			if err == nil || errors.As(err, &differs) {
				t.Errorf("%s: %q, %v", played, got, err)
			}
		case got != want || err != nil || len(left) > 0:
			t.Errorf("%s: %q, %v; want %q", played, got, err, want)
		}
	}
}
