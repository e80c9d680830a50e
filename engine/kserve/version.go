package kserve

import (
	"strconv"

	"conch/configedit/folder"
	"conch/engine/infer"
)

// ParseVersion reads the version of a request; "" is infer.Latest. As in Triton, text after the number is ignored, so
// "1abc" is version 1. The texts are Triton's (docs/triton/requests.md, "Which version answers"): they say "> 0", but 0
// is accepted, since no model has that version.
func ParseVersion(text string) (int64, error) {
	if text == "" {
		return infer.Latest, nil
	}
	n, err := strconv.ParseInt(folder.LeadingNumber(text), 10, 64)
	if err != nil {
		return 0, infer.Errorf(infer.InvalidArg, "failed to get model version from specified version string '%s' (details: stol), "+
			"version should be an integral value > 0", text)
	}
	if n < 0 {
		return 0, infer.Errorf(infer.InvalidArg,
			"invalid model version specified '%s' , version should be an integral value > 0", text)
	}
	return n, nil
}
