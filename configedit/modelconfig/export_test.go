package modelconfig

import (
	"slices"

	"conch/configedit/diag"
	"conch/configedit/text"
)

// Refused is Triton's verdict by the strict reading alone, with the tokenizer's
// complaints.
func Refused(doc *text.Document, list []diag.Diagnostic) bool {
	return verdict(doc.Strict()) != nil || slices.ContainsFunc(list, func(d diag.Diagnostic) bool {
		return text.FromTokenizer(d.Code)
	})
}
