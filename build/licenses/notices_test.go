package main

import (
	"strings"
	"testing"
)

func TestLicencesStandInOneColumn(t *testing.T) {
	long := "example.com/" + strings.Repeat("x", 80)
	text, err := notices([]work{{Name: "a", Version: "v1", Texts: []string{mit}}, {Name: long, Version: "v2", Texts: []string{mit}}})
	if err != nil {
		t.Fatal(err)
	}
	at := map[int]bool{}
	for line := range strings.Lines(text) {
		if i := strings.LastIndex(line, " MIT\n"); i > 0 {
			at[i] = true
		}
	}
	if len(at) != 1 {
		t.Errorf("the licences begin in %d columns:\n%.600s", len(at), text)
	}
}
