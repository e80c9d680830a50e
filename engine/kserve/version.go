package kserve

import (
	"strconv"

	"conch/engine/infer"
)

// ParseVersion reads a version as a request names it; "" is infer.Latest. The texts are Triton's
// (triton-runtime A3), which says "> 0" and lets 0 pass: no model has that version.
func ParseVersion(text string) (int64, error) {
	if text == "" {
		return infer.Latest, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
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

// RequestPrefix begins most messages about a request (triton-runtime A15).
func RequestPrefix(id string) string {
	if id == "" {
		id = "<id_unknown>"
	}
	return "[request id: " + id + "] "
}
