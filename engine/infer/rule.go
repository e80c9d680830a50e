package infer

import (
	"conch/configedit/rule"
)

// codes are the error codes of the rules' statuses.
var codes = map[rule.Status]Code{
	rule.Invalid: InvalidArg, rule.Internal: Internal, rule.Unsupported: Unsupported, rule.NotFound: NotFound, rule.Unavailable: Unavailable,
}

// Refused returns the error for a broken rule, in Triton's words.
func Refused(r *rule.Rule, args ...any) error { return Said(r.Status, r.Sentence(args...)) }

// Said returns the error for a sentence of Triton and its status.
func Said(status rule.Status, sentence string) error {
	code, known := codes[status]
	if !known {
		code = InvalidArg
	}
	return &Error{Code: code, Message: sentence}
}
