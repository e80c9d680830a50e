package folder

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Bounds of a label file. The largest lists of classes in use have some tens of thousands of short lines.
const (
	MaxLabels     = 1_000_000
	MaxLabelBytes = 64 << 20
)

// Labels reads the labels of classes, one a line. Lines are split at line feeds alone and a carriage return stays, as
// in Triton. A file beyond the bounds is no list of labels, and is not read further than that.
func Labels(r io.Reader) ([]string, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxLabelBytes+1))
	if err != nil {
		return nil, err
	}
	data = bytes.TrimSuffix(data, []byte{'\n'})
	if lines := bytes.Count(data, []byte{'\n'}) + 1; len(data) >= MaxLabelBytes || lines > MaxLabels {
		return nil, fmt.Errorf("it is too large for a label file: Conch reads up to %d MB and %d lines; name another file, or remove label_filename", MaxLabelBytes>>20, MaxLabels)
	}
	return strings.Split(string(data), "\n"), nil
}
