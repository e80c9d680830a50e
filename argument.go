package main

import (
	"reflect"

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
