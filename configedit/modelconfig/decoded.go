package modelconfig

import (
	"slices"

	"conch/configedit/diag"
	"conch/configedit/text"
)

// Decoded is a config with the text it came from, so that every value knows
// its place. It is never changed after Decode; several goroutines may ask it at once.
type Decoded struct {
	// Config holds what could be read, or else what was certainly meant. It is never nil.
	Config *ModelConfig
	Doc    *text.Document
	File   *text.File
	// Template is not nil for a template. The file is then unchanged, and Config holds substitutes for its
	// placeholders.
	Template *Template
	// skipped are values that are in the file but not in Config.
	skipped map[text.Value]bool
	// renamed are fields whose names are misspelt, with the names that they are
	// certain to mean.
	renamed map[*text.Field]string
	// unknown are fields that the schema lacks, by their offset.
	unknown map[int]unknown
	index   *siblingIndex
}

// Parse reads a config from its text: NewFile, text.Parse and Decode. The
// diagnostics are sorted; First marks those that Triton would print, and there
// is an error among them exactly when Triton refuses the file.
func Parse(name string, src []byte) (*Decoded, []diag.Diagnostic) {
	decoded, list := parse(name, src)
	if t := templateOf(name, src, list); t != nil {
		return parseTemplate(name, src, t, asItStands(list))
	}
	return decoded, list
}

func parse(name string, src []byte) (*Decoded, []diag.Diagnostic) {
	doc, list := text.ParseWith(text.NewFile(name, src), configSchema())
	d := decode(doc)
	list = slices.DeleteFunc(list, func(found diag.Diagnostic) bool {
		return d.instead[found.Span.Start] && (found.Code == text.CodeBareList || found.Code == text.CodeName)
	})
	for i := range list {
		if list[i].Triton == "" {
			list[i].Triton = d.hints[list[i].Span.Start]
		}
		if list[i].Code == text.CodeBareList && d.certain[list[i].Span.Start] {
			diag.Safely(list[i].Fixes)
		}
	}
	guessed := slices.ContainsFunc(list, func(found diag.Diagnostic) bool { return text.Guesses(found.Code) })
	list = append(list, d.list...)
	if guessed {
		diag.Doubt(list)
	}
	diag.Sort(list)
	if diag.HasErrors(list) {
		list = judged(doc, list)
	}
	return d.decoded, list
}

// Decode reads a config from a parsed document. Its diagnostics are only those
// that need the schema; text.Parse has given the others.
func Decode(doc *text.Document) (*Decoded, []diag.Diagnostic) {
	d := decode(doc)
	diag.Sort(d.list)
	return d.decoded, d.list
}

func decode(doc *text.Document) *decoder {
	d := &decoder{
		reader: reader{doc: doc},
		decoded: &Decoded{
			Config: &ModelConfig{}, Doc: doc, File: doc.File, unknown: map[int]unknown{},
			index: &siblingIndex{of: map[sibling]*siblings{}},
		},
		hints: map[int]string{},
	}
	d.message(scope{name: "a config", tree: doc.Root, msg: d.decoded.Config.ProtoReflect()})
	d.tellUnlisted()
	return d
}
