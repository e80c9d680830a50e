package main

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// verbatim reads an argument as it is. The parser itself reads it through JSON, which replaces what is
// not UTF-8; but paths may have any byte.
func verbatim(ctx *kong.DecodeContext, target reflect.Value) error {
	token, err := ctx.Scan.PopValue("string")
	if err == nil {
		target.SetString(token.String())
	}
	return err
}

// parse reads the command line. No flag is called like a number, so a negative number behind a flag is its value,
// which the parser itself takes with "=" alone.
func parse(parser *kong.Kong, args []string) (*kong.Context, error) {
	for {
		parsed, err := parser.Parse(args)
		joined, is := joinedNumber(args, err)
		if !is {
			return parsed, inWords(err)
		}
		args = joined
	}
}

// noValue is what the parser says of a flag whose value is missing, or begins with "-".
var noValue = regexp.MustCompile(`(?s)^(--\S+): (?:missing value, expecting .*|expected \w+ value but got (".*") \((<EOL>|short flag|long flag)\).*)$`)

// joinedNumber returns the arguments with the negative number that the parser refused joined to its flag.
func joinedNumber(args []string, err error) ([]string, bool) {
	said := noValue.FindStringSubmatch(fmt.Sprint(err))
	if said == nil {
		return nil, false
	}
	value, _ := strconv.Unquote(said[2])
	if _, err := strconv.ParseFloat(value, 64); err != nil {
		return nil, false
	}
	for i := range len(args) - 1 {
		if args[i+1] == value && strings.HasPrefix(args[i], "--") && !strings.Contains(args[i], "=") {
			return slices.Concat(args[:i], []string{args[i] + "=" + value}, args[i+2:]), true
		}
	}
	return nil, false
}

// noNumber is what the parser says of a value that is not a whole number, or too large.
var noNumber = regexp.MustCompile(`(?s)^(.+): expected a valid \d+ bit (u?)int but got (".*")$`)

// inWords is an error of the parser in plain words.
func inWords(err error) error {
	text := fmt.Sprint(err)
	if said := noNumber.FindStringSubmatch(text); said != nil {
		kind := "a whole number"
		if said[2] == "u" {
			kind = "a whole number from 0"
		}
		return fmt.Errorf("%s: %s is not %s, or too large", said[1], said[3], kind)
	}
	said := noValue.FindStringSubmatch(text)
	switch {
	case said == nil:
		return err
	case strings.HasSuffix(said[3], "flag"):
		return fmt.Errorf("%s needs a value, and %s reads as a flag: if that is the value, write %s=%s", said[1], said[2], said[1], said[2])
	}
	return errors.New(said[1] + " needs a value")
}
