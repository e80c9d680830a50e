package checkcmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"conch/app/language"
	"conch/app/visible"
	"conch/repo/scan"
)

// Format is the form of an answer.
type Format string

// The formats.
const (
	FormatText   Format = "text"
	FormatJSON   Format = "json"
	FormatSARIF  Format = "sarif"
	FormatGitHub Format = "github"
)

// writers write an answer in the formats for programs.
var writers = map[Format]func(io.Writer, *Result) error{FormatJSON: JSON, FormatSARIF: SARIF, FormatGitHub: GitHub}

// Options change how Run answers.
type Options struct {
	// Format is FormatText unless set.
	Format Format
	// Color writes text in colour, for terminals.
	Color bool
	// Errors gets the errors that kept Run from judging, and what was repaired. It is the answer's
	// writer unless set.
	Errors io.Writer
	// Flags are the flags of the server that will read the models.
	Flags language.Flags
	// Mend applies repairs to the files first; MendNothing unless set.
	Mend Mending
	// Advice also reports what works and could work better.
	Advice Advising
	// Files is how config files are judged that are named themselves; alone unless set.
	Files Files
}

// Files is how a config file is judged that is named itself.
type Files uint8

// The ways to judge a file.
const (
	// FilesAlone judges a config by its text. What depends on the folder is not judged.
	FilesAlone Files = iota
	// FilesInFolders judges a config together with the model's folder, where that has a version.
	FilesInFolders
)

// Mending is which repairs are applied to the files.
type Mending uint8

// The ways to repair.
const (
	MendNothing Mending = iota
	// MendSafe applies the fixes that are safe.
	MendSafe
	// MendSuggestions also applies suggestions.
	MendSuggestions
)

// Advising reports whether advice is given.
type Advising bool

// CouldNot is the exit status when nothing could be judged.
const CouldNot = 2

// Run judges the repositories, model folders and config files at these paths and writes the answer. It
// returns the exit status: 0 where Triton would accept everything, 1 where it would not, 2 where that
// could not be found out.
func Run(ctx context.Context, paths []string, opts Options, w io.Writer) int {
	if opts.Errors == nil {
		opts.Errors = w
	}
	result, err := Judge(ctx, paths, opts)
	if err == nil && opts.Mend != MendNothing {
		result, err = mendAll(ctx, paths, opts, result)
	}
	if err == nil {
		err = writeAs(w, result, opts)
	}
	if err != nil {
		fmt.Fprintf(opts.Errors, "conch check: %s\n", visible.Lines(err.Error()))
		return CouldNot
	}
	return ExitCode(result)
}

// Judge judges the repositories, model folders and config files at these paths. It writes nothing.
func Judge(ctx context.Context, paths []string, opts Options) (*Result, error) {
	t, err := sortPaths(paths, opts.Files)
	if err != nil {
		return nil, err
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the current folder: %w", err)
	}
	j := &judge{
		flags: opts.Flags, only: t.models, advice: opts.Advice, result: &Result{},
		shown: func(path string) string {
			if rel, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(rel) {
				return filepath.ToSlash(rel)
			}
			return filepath.ToSlash(path)
		},
	}
	if len(t.roots) > 0 {
		index := scan.New(t.roots...).WithContext(ctx).Scan(nil)
		if err := ctx.Err(); err != nil { // the index is not complete
			return nil, err
		}
		if err := j.repositories(ctx, index); err != nil {
			return nil, err
		}
	}
	for _, file := range t.files {
		if err := j.file(file); err != nil {
			return nil, err
		}
	}
	return j.result, nil
}

func writeAs(w io.Writer, result *Result, opts Options) error {
	result = result.asText()
	if opts.Format == "" || opts.Format == FormatText {
		return Text(w, result, opts.Color)
	}
	if writer := writers[opts.Format]; writer != nil {
		return writer(w, result)
	}
	return fmt.Errorf("there is no format %q; there are %s, %s, %s and %s", opts.Format, FormatText, FormatJSON, FormatSARIF, FormatGitHub)
}
