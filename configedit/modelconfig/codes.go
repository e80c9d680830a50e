package modelconfig

// Codes of the diagnostics Decode gives. They are stable.
const (
	CodeUnknownField = "TXT-UNKNOWN-FIELD" // the message has no such field
	CodeExtension    = "TXT-EXTENSION"     // [a.b] names nothing
	CodeRepeated     = "TXT-REPEATED"      // a singular field given twice
	CodeOneof        = "TXT-ONEOF"         // two that exclude each other
	CodeEnum         = "TXT-ENUM"          // an unknown enumerator
	CodeType         = "TXT-TYPE"          // a value of the wrong type
	CodeRange        = "TXT-RANGE"         // an integer that does not fit
	CodeMapKey       = "TXT-MAP-KEY"       // a map key given twice (warning)
	CodeUTF8         = "TXT-UTF8"          // a string that is not UTF-8 (warning)
	CodeTemplate     = "TPL"               // a placeholder that is still to be filled in (advice)
)
