package text

// FromTokenizer reports whether a diagnostic's sentence comes from the C++
// tokenizer. The tokenizer goes on after a mistake, so its sentence can be in
// Triton's log before the one that ended the reading.
func FromTokenizer(code string) bool {
	switch code {
	case CodeControl, CodeASCII, CodeBOM, CodeUnended, CodeEscape, CodeNumber, CodeSpace:
		return true
	}
	return false
}

// Guesses reports whether a diagnostic means that a part of the text could not be read, so that the tree there is a
// guess. With other diagnostics the meaning of the text is certain.
func Guesses(code string) bool {
	switch code {
	case CodeBOM, CodeColon, CodeComma, CodeExtraComma, CodeSeparator, CodeForeign, CodeEscape, CodeBareList, CodeNumber, CodeSpace:
		return false
	}
	return true
}

// Codes of the diagnostics this package gives. They are stable.
const (
	CodeControl    = "TXT-CONTROL"        // a control character
	CodeASCII      = "TXT-ASCII"          // a character outside ASCII, not in a string
	CodeBOM        = "TXT-BOM"            // a byte order mark
	CodeForeign    = "TXT-COMMENT"        // a comment in the style of another language
	CodeUnended    = "TXT-STRING-END"     // a string without its closing quote
	CodeEscape     = "TXT-ESCAPE"         // an escape that does not exist
	CodeNumber     = "TXT-NUMBER"         // a number in no known form
	CodeSpace      = "TXT-SPACE"          // a blank is missing between two words
	CodeName       = "TXT-NAME"           // something else where a field name belongs
	CodeColon      = "TXT-COLON"          // the colon is missing
	CodeValue      = "TXT-VALUE"          // a value is missing, or cannot be one
	CodeComma      = "TXT-COMMA"          // list elements not parted by a comma
	CodeBareList   = "TXT-LIST"           // values of a list without its brackets
	CodeExtraComma = "TXT-TRAILING-COMMA" // a comma with nothing after it
	CodeSeparator  = "TXT-SEPARATOR"      // a comma or semicolon too many
	CodeUnclosed   = "TXT-UNCLOSED"       // a brace or bracket never closed
	CodeUnopened   = "TXT-UNOPENED"       // a closing one that closes nothing, or whose opening one is missing
	CodeMismatch   = "TXT-MISMATCH"       // a brace or bracket that is closed by the wrong kind
	CodeDepth      = "TXT-DEPTH"          // nested too deep to be a config
	CodeJSON       = "TXT-JSON"           // the file is JSON
	CodeTooMany    = "TXT-MANY"           // more mistakes than are listed
)
