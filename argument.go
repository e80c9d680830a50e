package main

import (
	"reflect"

	"github.com/alecthomas/kong"
)

// verbatim takes an argument as it is. The parser's own way goes through JSON, which replaces what is not UTF-8, and
// paths may hold any byte.
func verbatim(ctx *kong.DecodeContext, target reflect.Value) error {
	token, err := ctx.Scan.PopValue("string")
	if err == nil {
		target.SetString(token.String())
	}
	return err
}
