package infer

import (
	"conch/configedit/rule"
)

// codes are the error codes of the statuses that rules have.
var codes = map[rule.Status]Code{
	rule.Invalid: InvalidArg, rule.Internal: Internal, rule.Unsupported: Unsupported, rule.NotFound: NotFound, rule.Unavailable: Unavailable,
}

// Refused is the error for a broken rule, in Triton's words.
func Refused(r *rule.Rule, args ...any) error { return Said(r.Status, r.Sentence(args...)) }

// Said is the error for a sentence of Triton and the status that comes with it.
func Said(status rule.Status, sentence string) error {
	code, known := codes[status]
	if !known {
		code = InvalidArg
	}
	return &Error{Code: code, Message: sentence}
}
