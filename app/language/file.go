package language

import (
	"cmp"
	"fmt"
	"io"
	"path"

	"conch/configedit/backends"
	"conch/configedit/derive"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfolder"
)

// Beginning is what a model that is made of a file begins with.
type Beginning struct {
	Backend backends.Backend
	// File is the name under which Triton looks for the file in a version folder.
	File string
	// Whole is set where the file is a folder, and all that was sent lies in it.
	Whole bool
	// Config is what `conch config` makes of the file. The name is left to the folder.
	Config []byte
	// Note says why the config says little; "" when it says what the file does.
	Note string
}

// BeginFrom reads a model file that lies in no model's folder yet. The error says why the file cannot
// be a model's.
func BeginFrom(name string, r io.ReaderAt, size int64) (Beginning, error) {
	backend, format, known := backends.OfEnding(name)
	if !known {
		return Beginning{}, fmt.Errorf("%s has no ending of a model file, such as .onnx, .pt, .plan or .py; if it is a model, give its name the ending of its kind; if it is data for a model, drop it on an input of that model; if it belongs to a model that is here, drop it on the tab Files of that model", name)
	}
	b := Beginning{Backend: backend, File: format.File}
	if format.Form == backends.Folder {
		b.File = path.Join(format.File, format.Inside)
	}
	first := []byte(begin(backend.Name, format))
	if !modelfolder.Reads(format) {
		b.Config, b.Note = first, "Conch cannot read the inputs and outputs from "+format.Called+": write them into the config."
		if backend.Completes == backends.FromFile && format != backends.GraphDef {
			b.Note = leftOut(backend)
		}
		return b, nil
	}
	facts, called, err := modelfolder.ReadFile(cmp.Or(format.Inside, format.File), r, size)
	if err != nil {
		return Beginning{}, fmt.Errorf("%s cannot be read as %s: %w", name, called, err)
	}
	text, err := draft(facts, "")
	if err != nil {
		b.Config, b.Note = first, "The inputs and outputs are placeholders: "+err.Error()+"."
		return b, nil
	}
	b.Config = text
	return b, nil
}

// draft writes a first config from a model file, with remarks about what is a guess.
func draft(facts derive.Facts, name string) ([]byte, error) {
	cfg, filled, err := derive.FromFacts(facts)
	if err != nil {
		return nil, err
	}
	cfg.Name = name
	if facts.ONNX != nil {
		filled = nil // the file declares it all; nothing is a guess
	}
	return append(remarks(filled), modelconfig.PrintText(cfg)...), nil
}
