package main

import (
	"os"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
	mangokong "github.com/alecthomas/mango-kong"
	"github.com/muesli/roff"
)

// manCommand is `conch man`. It is not in the help: packages are made with it.
type manCommand struct{}

// bold is what a person types: commands and flags.
var bold = regexp.MustCompile(`\\fB.*?\\fP`)

// Run prints the manual page.
func (manCommand) Run(program *kong.Kong) error {
	_, err := os.Stdout.WriteString(manual(program.Model))
	return err
}

// manual returns the manual page, made from the commands and their flags.
func manual(program *kong.Application) string {
	page := mangokong.NewManPage(1, program).Build(roff.NewDocument())
	return bold.ReplaceAllStringFunc(page, func(typed string) string {
		return strings.ReplaceAll(typed, "-", `\-`) // a plain one is shown as a hyphen, which no flag has
	})
}
