package modelfile

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// PythonClass is the class that a Python model has to define.
const PythonClass = "TritonPythonModel"

// MaxPython bounds what is read of a Python program.
const MaxPython = 4 << 20

// Python is the program of a Python model. It is searched, never run.
type Python struct{ text string }

// ReadPython reads a program, up to MaxPython. An error is what r answered.
func ReadPython(r io.ReaderAt, size int64) (*Python, error) {
	text, err := io.ReadAll(io.NewSectionReader(r, 0, min(size, MaxPython)))
	if err != nil {
		return nil, fmt.Errorf("read the program: %w", err)
	}
	return PythonText(text), nil
}

// PythonText is a program of this text.
func PythonText(text []byte) *Python { return &Python{string(text)} }

// Defines says whether the program may define PythonClass: it speaks of the class, or defines names by other means.
func (p *Python) Defines() bool {
	return p.speaksOf(PythonClass, importAll, "globals()", "setattr", "exec(")
}

// Completes says whether the program may complete its config.
func (p *Python) Completes() bool { return p.speaksOf("auto_complete_config", importAll) }

// SpeaksOf says whether a name stands somewhere in the program.
func (p *Python) SpeaksOf(name string) bool { return name != "" && p.speaksOf(name) }

// importAll brings names that the program does not write itself.
const importAll = "import *"

func (p *Python) speaksOf(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(p.text, w) })
}
