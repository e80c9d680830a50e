package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

const mit = "MIT License\n\nCopyright (c) 2020 Somebody\n\nPermission is hereby granted, free of charge, to any person\nobtaining a copy of this software"

func TestKindsOf(t *testing.T) {
	apache, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		texts []string
		kinds []string
		fails string
	}{
		"MIT":               {texts: []string{mit}, kinds: []string{"MIT"}},
		"Apache and MIT":    {texts: []string{string(apache), mit}, kinds: []string{"Apache-2.0", "MIT"}},
		"no text":           {fails: "brings no text"},
		"an unknown text":   {texts: []string{"Do what you like, but pay."}, fails: "does not know"},
		"MIT beside GPL":    {texts: []string{mit, "GNU GENERAL PUBLIC\nLICENSE Version 3"}, fails: "does not take"},
		"weak but not MIT":  {texts: []string{"Mozilla Public License Version 2.0"}, fails: "does not know"},
		"a list of notices": {texts: []string{mit, "# Third-Party Licenses\nx is under the GNU General Public License, and not built"}, kinds: []string{"MIT"}},
	} {
		t.Run(name, func(t *testing.T) {
			kinds, err := kindsOf(work{Name: "w", Version: "1", Texts: c.texts})
			if c.fails == "" && err != nil || c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)) {
				t.Fatalf("error %v, want %q", err, c.fails)
			}
			if err == nil && !slices.Equal(kinds, c.kinds) {
				t.Errorf("%v, want %v", kinds, c.kinds)
			}
		})
	}
}

// TestNotices: equal texts are written once, and one work without a licence stops everything.
func TestNotices(t *testing.T) {
	text, err := notices([]work{{"a", "1", []string{mit}}, {"b", "2", []string{mit}}})
	if err != nil || strings.Count(text, "Somebody") != 1 || !strings.Contains(text, "a 1\nb 2\n") {
		t.Errorf("%v\n%s", err, text)
	}
	if _, err := notices([]work{{"a", "1", []string{mit}}, {"b", "2", nil}}); err == nil {
		t.Error("a work without a text passes")
	}
}
