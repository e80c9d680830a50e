package scan_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"conch/build/golden"
	"conch/repo/scan"
)

// TestGolden runs the scripts in testdata. A script makes files below a
// temporary folder and looks at them:
//
//	mkdir PATH             a folder, with its parents
//	file PATH [TEXT]       a file; \n in TEXT is a line end
//	size PATH BYTES        a file of that size
//	link PATH TARGET       a symbolic link
//	mv FROM TO, rm PATH    rename, delete with everything below
//	deny PATH              reading PATH fails with "permission denied"
//	roots PATH...          the repositories; "r" if the line is missing
//	max BYTES              the size from which a config is not read
//	scan [BUSY...]         scan all and print
//	rescan PATH...         scan what was touched and print
//	compare MODEL          what changed in a model by the last scan
//	diagnose PATH          what opening PATH would say
func TestGolden(t *testing.T) {
	golden.Each(t, "testdata", func(t *testing.T, c *golden.Case) { c.Want(runScript(t, c.Text(t, "script"))) })
}

// machine runs one script.
type machine struct {
	t       *testing.T
	top     string
	scanner *scan.Scanner
	denied  map[string]bool
	last    *scan.Index
	out     strings.Builder
}

// runScript runs a script in a folder that lies in what looks like a version of a model in a repository, as any temporary
// folder may.
func runScript(t *testing.T, script string) string {
	around, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	top := filepath.Join(around, "m", "1", "tmp")
	check(t, os.MkdirAll(top, 0o755))
	check(t, os.WriteFile(filepath.Join(around, "m", "config.pbtxt"), nil, 0o644))
	check(t, os.WriteFile(filepath.Join(around, "m", "1", "model.onnx"), nil, 0o644))
	m := &machine{t: t, top: top, denied: map[string]bool{}}
	m.roots("r")
	for line := range strings.Lines(script) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		if !m.look(words[0], words[1:]) {
			m.change(words[0], words[1:])
		}
	}
	return m.out.String()
}

func (m *machine) path(rel string) string { return filepath.Join(m.top, rel) }

func (m *machine) paths(rels []string) []string {
	var paths []string
	for _, rel := range rels {
		paths = append(paths, m.path(rel))
	}
	return paths
}

func (m *machine) roots(rels ...string) {
	m.scanner = scan.New(m.paths(rels)...)
	m.scanner.FS = func(root string) fs.FS { return denyFS{os.DirFS(root).(dirFS), root, m.denied} }
}

// look runs a command that prints something.
func (m *machine) look(command string, args []string) bool {
	previous := m.last
	switch command {
	case "scan":
		m.last = m.scanner.Scan(m.last, m.paths(args)...)
	case "rescan":
		m.last = m.scanner.Rescan(m.last, m.paths(args))
	case "diagnose":
		d := scan.DiagnoseBelow(m.top, m.path(args[0]))
		fmt.Fprintf(&m.out, "> diagnose %s\n%s: %s\n", args[0], d.Verdict, strings.ReplaceAll(d.Sentence, m.top, "TOP"))
		fmt.Fprintf(&m.out, "open instead: %q\n", strings.TrimPrefix(d.Suggestion, m.top+"/"))
		return true
	default:
		return false
	}
	fmt.Fprintf(&m.out, "> %s\n", strings.TrimSpace(command+" "+strings.Join(args, " ")))
	if m.last == previous {
		m.out.WriteString("unchanged\n")
		return true
	}
	m.out.WriteString(dump(m.last, m.top))
	m.shared(previous)
	return true
}

// shared prints which models were taken over from the Index before.
func (m *machine) shared(previous *scan.Index) {
	if previous == nil {
		return
	}
	for _, model := range m.last.Models {
		for _, old := range previous.Models {
			if old == model {
				fmt.Fprintf(&m.out, "shared %s\n", model.Name)
			}
		}
	}
}

// change runs a command that changes the files or the scanner.
func (m *machine) change(command string, args []string) {
	var err error
	switch command {
	case "mkdir":
		err = os.MkdirAll(m.path(args[0]), 0o755)
	case "file":
		m.write(args[0], strings.ReplaceAll(strings.Join(args[1:], " "), `\n`, "\n"))
	case "size":
		n, _ := strconv.Atoi(args[1])
		m.write(args[0], strings.Repeat("x", n))
	case "link":
		m.write(args[0], "")
		check(m.t, os.Remove(m.path(args[0])))
		err = os.Symlink(args[1], m.path(args[0]))
	case "mv":
		err = os.Rename(m.path(args[0]), m.path(args[1]))
	case "rm":
		err = os.RemoveAll(m.path(args[0]))
	case "deny":
		m.denied[m.path(args[0])] = true
	case "roots":
		m.roots(args...)
	case "max":
		m.scanner.MaxText, err = strconv.ParseInt(args[0], 10, 64)
	default:
		m.t.Fatalf("unknown command %q", command)
	}
	check(m.t, err)
}

func (m *machine) write(rel, text string) {
	check(m.t, os.MkdirAll(filepath.Dir(m.path(rel)), 0o755))
	check(m.t, os.WriteFile(m.path(rel), []byte(text), 0o644))
}

type dirFS interface {
	fs.StatFS
	fs.ReadDirFS
	fs.ReadLinkFS
}

// denyFS refuses some paths, since a test running as root cannot be refused
// by permission bits.
type denyFS struct {
	dirFS
	root   string
	denied map[string]bool
}

func (d denyFS) refuse(op, name string) error {
	if d.denied[filepath.Join(d.root, name)] {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrPermission}
	}
	return nil
}

func (d denyFS) Open(name string) (fs.File, error) {
	if err := d.refuse("open", name); err != nil {
		return nil, err
	}
	return d.dirFS.Open(name)
}

func (d denyFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := d.refuse("open", name); err != nil {
		return nil, err
	}
	return d.dirFS.ReadDir(name)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
