package environments

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"conch/engine/pip"
)

// tool makes an environment by uv, or by venv and pip.
type tool struct {
	run    func(context.Context, *exec.Cmd) error
	tell   func(string)
	log    *slog.Logger
	python Python
	dir    string
}

// make makes the environment and installs what the list asks for.
func (t *tool) make(ctx context.Context, list Requirements) error {
	empty, install := []string{t.python.Executable, "-I", "-m", "venv", t.dir}, t.pip
	name := "pip"
	if t.pipReaches() {
		empty, install = append(empty, "--without-pip"), t.pipFromOutside
	}
	if uv, err := exec.LookPath("uv"); err == nil {
		empty = []string{uv, "venv", "--python", t.python.Executable, t.dir}
		install, name = func(string) []string { return []string{uv, "pip", "install", "--python", t.dir} }, "uv"
	}
	t.tell("making a Python environment")
	if out, err := t.step(ctx, empty, list.folder(), variables()); err != nil {
		return failure(ctx, name, out, err)
	}
	interpreter, err := InterpreterIn(t.dir)
	if err != nil {
		return err
	}
	t.tell("installing packages")
	env, done, err := t.temporary()
	if err != nil {
		return err
	}
	if out, err := t.step(ctx, append(install(interpreter), list.arguments()...), list.folder(), env); err != nil {
		return failure(ctx, name, out, err)
	}
	return done()
}

// temporary returns variables that have the tools download into a folder of the environment, and what removes that: a load that is stopped
// kills them, and gigabytes would stay in the folder for temporary files, which may be a small one in memory, too.
func (t *tool) temporary() (env []string, done func() error, err error) {
	dir := filepath.Join(t.dir, "temporary")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, nil, err
	}
	return append(variables(), "TMPDIR="+dir, "TEMP="+dir, "TMP="+dir), func() error { return os.RemoveAll(dir) }, nil
}

func (t *tool) pip(interpreter string) []string {
	return append(pip.Command(interpreter), install...)
}

// pipFromOutside is the pip of the interpreter that makes the environment, so that the environment needs none: writing pip into it takes
// longer than many a list.
func (t *tool) pipFromOutside(interpreter string) []string {
	return append(append(pip.Command(t.python.Executable), "--python", interpreter), install...)
}

var install = []string{"install", "--no-input", "--disable-pip-version-check", "--progress-bar", "off"}

// pipReaches reports whether the interpreter's pip can install for another one: since 22.3, and 23 is easier to tell.
func (t *tool) pipReaches() bool {
	major, _, _ := strings.Cut(t.python.Pip, ".")
	number, err := strconv.Atoi(major)
	return err == nil && number >= 23
}

// step runs a command and returns the end of what it printed.
func (t *tool) step(ctx context.Context, command []string, folder string, env []string) ([]string, error) {
	t.log.Info("runs " + strings.Join(command, " "))
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = folder, env
	out := &printed{each: t.line}
	cmd.Stdout, cmd.Stderr = out, out
	err := t.run(ctx, cmd)
	return out.end(), err
}

// variables are the environment variables of the tools: without those by which an interpreter would look elsewhere.
func variables() []string {
	without := []string{"PYTHONPATH=", "PYTHONHOME=", "VIRTUAL_ENV=", "UV_PYTHON="}
	list := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return slices.ContainsFunc(without, func(name string) bool { return strings.HasPrefix(v, name) })
	})
	return append(list, "PYTHONUNBUFFERED=1", "PYTHONIOENCODING=utf-8", "UV_NO_PROGRESS=1", "UV_PYTHON_DOWNLOADS=never", "NO_COLOR=1")
}

// line takes a line that a tool printed.
func (t *tool) line(number int, line string) {
	t.log.Info(line)
	if text := progress(line); text != "" {
		t.tell(text)
	}
}

// progress returns what a line of pip or uv says of the progress; "" for nothing.
func progress(line string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	switch first {
	case "Collecting", "Downloading", "Building", "Processing":
		name, _, _ := strings.Cut(rest, " (from ")
		if size := strings.LastIndexByte(rest, '('); first == "Downloading" && size >= 0 {
			path := strings.Fields(rest)[0]
			name = path[strings.LastIndexByte(path, '/')+1:] + " " + rest[size:]
		}
		return "installing packages: " + strings.ToLower(first) + " " + name
	case "Installing":
		if list, is := strings.CutPrefix(rest, "collected packages: "); is {
			return fmt.Sprintf("installing %s", count(strings.Count(list, ",")+1))
		}
	case "Resolved": // "Resolved 5 packages in 13ms"
		if number, _, is := strings.Cut(rest, " package"); is {
			if n, err := strconv.Atoi(number); err == nil {
				return fmt.Sprintf("installing %s", count(n))
			}
		}
	}
	return ""
}

func count(n int) string {
	if n == 1 {
		return "1 package"
	}
	return fmt.Sprintf("%d packages", n)
}

const (
	// keptLines is how many last lines of a tool are kept for its error.
	keptLines = 60
	// keptLine is the longest line that is kept whole.
	keptLine = 2 << 10
)

// printed takes what a tool prints, line by line.
type printed struct {
	each func(number int, line string)

	mu    sync.Mutex
	part  []byte
	count int
	last  []string
}

// Write takes text.
func (p *printed) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, b := range text {
		switch {
		case b == '\n' || b == '\r':
			p.full()
		case len(p.part) < keptLine:
			p.part = append(p.part, b)
		}
	}
	return len(text), nil
}

// full takes a whole line.
func (p *printed) full() {
	line := strings.TrimRight(strings.ToValidUTF8(string(p.part), "?"), " ")
	p.part = p.part[:0]
	if line == "" {
		return
	}
	p.count++
	if p.last = append(p.last, line); len(p.last) > keptLines {
		p.last = p.last[1:]
	}
	p.each(p.count, line)
}

// end returns the last lines.
func (p *printed) end() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.full()
	return p.last
}
