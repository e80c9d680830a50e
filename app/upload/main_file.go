package upload

import (
	"errors"
	"fmt"
	"strings"

	"conch/configedit/backends"
)

// mainOf returns the model file; the others are what it refers to, such as weights.
func mainOf(names []string) (string, error) {
	var models []string
	for _, name := range names {
		if isModelFile(name) {
			models = append(models, name)
		}
	}
	switch {
	case len(models) == 1 || len(names) == 1:
		return append(models, names...)[0], nil
	case len(names) == 0:
		return "", errors.New("no file was given: choose the file of a model")
	case len(models) == 0:
		return "", fmt.Errorf("none of %s has the ending of a model file, such as .onnx, .pt, .plan or .py; give the model file the ending of its kind", strings.Join(names, ", "))
	}
	return "", &SeveralError{Files: models}
}

// SeveralError is the error of files that belong to several models.
type SeveralError struct {
	Files []string // the model files
}

func (e *SeveralError) Error() string {
	return strings.Join(e.Files, ", ") + " are several model files; make a model of each"
}

func isModelFile(name string) bool {
	_, _, known := backends.OfEnding(name)
	return known
}
