package main

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestManual says that the manual page has every flag as a person types it. The flags of commands in commands have
// their own lines, too.
func TestManual(t *testing.T) {
	var c commands
	page := manual(kong.Must(&c, kong.Name("conch"), vars()).Model)
	for name, flag := range flagsOf(t, "") {
		if flag == nil || flag.Hidden || name != flag.Name {
			continue
		}
		if want := `\-\-` + strings.ReplaceAll(name, "-", `\-`); !strings.Contains(page, want) {
			t.Errorf("the manual page lacks %s", want)
		}
	}
}
