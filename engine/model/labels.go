package model

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// labels are the lines of the label files, by output.
type labels map[string][]string

// readLabels reads the label files that a config names. It refuses a path that leads out of the model's
// folder (rules L7 to L9). As in Triton, only a line feed ends a line; a carriage return stays.
func readLabels(cfg *modelconfig.ModelConfig, modelDir string) (labels, error) {
	var l labels
	for _, out := range cfg.Output {
		if out.LabelFilename == "" {
			continue
		}
		file := filepath.Join(modelDir, filepath.Clean(string(filepath.Separator)+filepath.FromSlash(out.LabelFilename)))
		lines, err := readLines(file, classesIn(out.Dims))
		if err != nil {
			return nil, infer.Errorf(infer.Internal, "failed to open text file for read %s: %v", file, cause(err))
		}
		if l == nil {
			l = labels{}
		}
		l[out.Name] = lines
	}
	return l, nil
}

func readLines(path string, classes int) ([]string, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return folder.Labels(f, classes)
}

// classesIn returns the largest number of classes of an output: further labels are not read.
func classesIn(dims tensor.Shape) int {
	elements, ok := dims.Elements()
	if !ok || elements < 0 || elements > folder.MaxLabels {
		return folder.MaxLabels
	}
	return int(elements)
}

func readFile(path string) ([]byte, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(f)
}

// openFile opens a file that a config names.
func openFile(path string) (*os.File, error) {
	if raw := folder.Raw(path); raw != path && !there(path) { // the config names it by bytes that are not UTF-8
		path = raw
	}
	return folder.Open(path)
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// cause returns the operating system's own text of a file error.
func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

var _ infer.Labels = labels(nil)

// Label returns the name of a class; "" when it has none.
func (l labels) Label(output string, class int) string {
	if lines := l[output]; class < len(lines) {
		return lines[class]
	}
	return ""
}

// ownFirst is the labels of an ensemble with label files: its own, then those of its steps.
type ownFirst struct {
	own   labels
	steps infer.Labels // nil for none
}

// Label returns the name of a class.
func (l ownFirst) Label(output string, class int) string {
	if l.own[output] != nil {
		return l.own.Label(output, class)
	}
	return nameOf(l.steps, output, class)
}

func nameOf(l infer.Labels, output string, class int) string {
	if l == nil {
		return ""
	}
	return l.Label(output, class)
}
