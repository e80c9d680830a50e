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

// labelBuffer is the number of bytes of a label file in memory, besides the labels that are kept.
const labelBuffer = 64 << 10

// Labels reads the labels of classes, one a line, and keeps the first of them: as many as there are classes. Lines are
// split at line feeds alone and a carriage return stays, as in Triton. The file is read as a stream. One beyond the
// bounds is no list of labels, and is not read further than that.
func Labels(r io.Reader, keep int) ([]string, error) {
	l := labelReader{keep: keep}
	for buffer := make([]byte, labelBuffer); ; {
		n, err := r.Read(buffer)
		l.take(buffer[:n])
		if l.bytes > MaxLabelBytes || l.feeds > MaxLabels {
			return nil, errLabels
		}
		if err == io.EOF {
			return l.labels()
		}
		if err != nil {
			return nil, err
		}
	}
}

var errLabels = fmt.Errorf("it is too large for a label file: Conch reads up to %d MiB and %d lines; name another file, or remove label_filename", MaxLabelBytes>>20, MaxLabels)

// labelReader takes a label file in pieces.
type labelReader struct {
	keep  int
	text  strings.Builder // the lines that are kept, with their line feeds
	bytes int             // of the file so far
	feeds int             // line feeds so far
	last  byte            // of the file so far
}

func (l *labelReader) take(piece []byte) {
	if len(piece) == 0 {
		return
	}
	l.bytes += len(piece)
	l.last = piece[len(piece)-1]
	for len(piece) > 0 && l.feeds < l.keep {
		end := bytes.IndexByte(piece, '\n') + 1
		if end == 0 {
			l.text.Write(piece)
			return
		}
		l.text.Write(piece[:end])
		l.feeds++
		piece = piece[end:]
	}
	l.feeds += bytes.Count(piece, []byte{'\n'})
}

// labels are the labels read. A line feed at the end of the file does not begin a line.
func (l *labelReader) labels() ([]string, error) {
	lines := l.feeds
	if l.last != '\n' {
		lines++
	}
	if lines > MaxLabels {
		return nil, errLabels
	}
	if l.keep == 0 {
		return nil, nil
	}
	return strings.Split(strings.TrimSuffix(l.text.String(), "\n"), "\n"), nil
}
