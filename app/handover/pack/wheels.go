package pack

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"conch/engine/pip"
)

// always is installed beside what a list asks for: Triton's Python models cannot be run without it.
const always = "numpy"

// newestGlibc is the minor version of the C library of Ubuntu 22.04, which the oldest images have.
const newestGlibc = 35

// caller calls pip for a Python that this machine need not have.
type caller struct {
	interpreter string
	image       Image
	folder      string // where relative paths of a list begin
}

// install puts the packages of a list into a folder. Only wheels are taken, so nothing is compiled here and no code of a package runs.
// They are taken and installed in two steps, because `pip install` asks packages whether they fit the Python that it runs on itself.
func install(ctx context.Context, interpreter, list string, image Image, to string) error {
	p := caller{interpreter, image, filepath.Dir(list)}
	wheels, err := os.MkdirTemp("", "conch-wheels-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(wheels) }()
	read, err := readList(list)
	if err != nil {
		return err
	}
	files, err := read.write(wheels)
	if err != nil {
		return err
	}
	words := append([]string{"download", "--dest", wheels}, files...)
	if !read.hashes { // pip takes nothing without a hash beside such a list
		words = append(words, always)
		if !image.NumPy2 {
			words = append(words, always+"<2")
		}
	}
	if err := p.run(ctx, words...); err != nil {
		return fmt.Errorf("pip could not take the wheels of %s for Python %s on Linux (x86-64): %w", list, image.Python, err)
	}
	files, _ = filepath.Glob(filepath.Join(wheels, "*.whl"))
	words = append([]string{"install", "--no-index", "--no-deps", "--ignore-requires-python", "--no-compile", "--target", to}, files...)
	if err := p.run(ctx, words...); err != nil {
		return fmt.Errorf("pip could not unpack the wheels of %s: %w", list, err)
	}
	if trouble := image.tooNew(to); trouble != "" {
		return fmt.Errorf("the packages of %s would not run there: %s", list, trouble)
	}
	return nil
}

func (p caller) run(ctx context.Context, words ...string) error {
	all := append(pip.Command(p.interpreter)[1:], words[0], "--no-input", "--disable-pip-version-check", "--progress-bar", "off", "--only-binary=:all:")
	all = append(all, "--implementation", "cp", "--python-version", p.image.Python)
	for minor := newestGlibc; minor >= 5; minor-- {
		all = append(all, "--platform", fmt.Sprintf("manylinux_2_%d_x86_64", minor))
	}
	cmd := exec.CommandContext(ctx, p.interpreter, append(append(all, "--platform", "manylinux2014_x86_64"), words[1:]...)...)
	cmd.Dir, cmd.WaitDelay = p.folder, time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, lastLines(string(out)))
	}
	return nil
}

// lastLines are the end of what a program printed.
func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-8):], "\n")
}
