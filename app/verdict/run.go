package verdict

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"conch/repo/scan"
)

// Format is how an answer is written.
type Format string

// The formats.
const (
	FormatText Format = "text"
	FormatJSON Format = "json"
)

// Options change how Run answers.
type Options struct {
	// Format is FormatText unless set.
	Format Format
	// Color writes text in colour, for terminals.
	Color bool
	// Errors takes what kept Run from judging; the answer's own writer unless set.
	Errors io.Writer
}

// CouldNot is the exit status when nothing could be judged.
const CouldNot = 2

// Run judges the repositories at these paths and writes the answer. It answers the exit status: 0 where Triton
// would take everything, 1 where it would not, 2 where it could not find out.
func Run(ctx context.Context, roots []string, opts Options, w io.Writer) int {
	if opts.Errors == nil {
		opts.Errors = w
	}
	result, err := judgeRoots(ctx, roots)
	if err == nil {
		err = write(w, result, opts)
	}
	if err != nil {
		fmt.Fprintf(opts.Errors, "conch check: %v\n", err)
		return CouldNot
	}
	return ExitCode(result)
}

func judgeRoots(ctx context.Context, roots []string) (*Result, error) {
	for _, root := range roots {
		if d := scan.Diagnose(root); !d.Openable() {
			return nil, fmt.Errorf("%s", strings.TrimSpace(d.Sentence+" "+d.Suggestion))
		}
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the current folder: %w", err)
	}
	return Judge(ctx, scan.New(roots...).Scan(nil), func(path string) string {
		if rel, err := filepath.Rel(here, path); err == nil && !strings.HasPrefix(rel, "..") {
			return filepath.ToSlash(rel)
		}
		return filepath.ToSlash(path)
	})
}

func write(w io.Writer, result *Result, opts Options) error {
	switch opts.Format {
	case "", FormatText:
		return Text(w, result, opts.Color)
	case FormatJSON:
		return JSON(w, result)
	}
	return fmt.Errorf("there is no format %q; there are %s and %s", opts.Format, FormatText, FormatJSON)
}
