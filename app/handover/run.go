package handover

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"conch/app/visible"
)

// Switch is something that is on or off.
type Switch bool

// Output is where Run writes.
type Output struct {
	// Dir is the folder of the files; "" prints them to Files.
	Dir string
	// Anyway writes the files though something would not run there.
	Anyway Switch
	Files  io.Writer
	// Told gets the problems, the notes and what was written.
	Told io.Writer
	// Interpreter is the Python whose pip takes packages from lists.
	Interpreter string
}

// ErrNotAll means that something would not run there, or that an edit made by hand is in the way. What is said in
// Output.Told.
var ErrNotAll = errors.New("not all of it can be handed over")

// Run is `conch export`.
func Run(ctx context.Context, opts Options, out Output) error {
	e, err := Prepare(ctx, opts)
	if err != nil {
		return err
	}
	tellProblems(out.Told, opts, e.Problems)
	if len(e.Problems) > 0 && !bool(out.Anyway) {
		fmt.Fprintln(out.Told, "\nNothing was written. --force writes the files anyway.")
		return ErrNotAll
	}
	for _, note := range e.Notes {
		fmt.Fprintln(out.Told, visible.Line(note))
	}
	if out.Dir == "" {
		return printFiles(out.Files, e.Files)
	}
	tell := func(line string) { fmt.Fprintln(out.Told, visible.Line(line)) }
	written, err := e.Write(ctx, out.Dir, opts, Packing{out.Interpreter, tell})
	if err != nil {
		return err
	}
	tellWritten(out.Told, out.Dir, written)
	if len(written.Conflicts) > 0 {
		return ErrNotAll
	}
	return nil
}

func tellProblems(w io.Writer, opts Options, list []Problem) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "What would not run with %s, release %s of Triton:\n", opts.Target, opts.Flags.Release.Name)
	for _, p := range list {
		text := p.Text
		if p.Rule != "" {
			text += " [" + p.Rule + "]"
		}
		who := p.Model
		if who == "" {
			who = "the repository"
		}
		fmt.Fprintf(w, "  %s: %s\n", visible.Line(who), visible.Line(text))
		if p.Path != "" {
			fmt.Fprintf(w, "    %s\n", visible.Line(p.Path))
		}
	}
}

func printFiles(w io.Writer, files []File) error {
	for i, file := range files {
		head := ""
		if len(files) > 1 {
			head = "# " + file.Name + "\n"
			if i > 0 {
				head = "---\n" + head
			}
		}
		var text strings.Builder
		for line := range strings.Lines(file.Text) {
			text.WriteString(visible.Source(strings.TrimSuffix(line, "\n")) + "\n")
		}
		if _, err := io.WriteString(w, head+text.String()); err != nil {
			return fmt.Errorf("print %s: %w", file.Name, err)
		}
	}
	return nil
}

func tellWritten(w io.Writer, dir string, done *Written) {
	for _, list := range []struct {
		what  string
		files []string
	}{
		{"written", done.Made}, {"changed", done.Changed}, {"as before", done.Same}, {"changed, with your edits", done.Edited},
		{"left as you have it", done.Kept}, {"removed", done.Removed},
	} {
		if len(list.files) > 0 {
			fmt.Fprintf(w, "%s: %s (in %s)\n", list.what, strings.Join(list.files, ", "), visible.Line(dir))
		}
	}
	for _, c := range done.Conflicts {
		fmt.Fprintf(w, "\n%s, line %d: your edit stays, and the export has something else there.\n", visible.Line(c.File), c.Line)
		fmt.Fprintf(w, "yours:\n%sthe export's:\n%s", indented(c.Kept), indented(c.Offered))
	}
}

func indented(text string) string {
	if text == "" {
		return "  (nothing)\n"
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("  " + visible.Line(strings.TrimSuffix(line, "\n")) + "\n")
	}
	return b.String()
}
