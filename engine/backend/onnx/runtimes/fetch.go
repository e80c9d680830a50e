package runtimes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"conch/engine/lastwords"
	"conch/engine/period"
	"conch/engine/pip"
)

// longestFetch bounds a download.
const longestFetch = 60 * time.Minute

// PythonVariable names the Python whose pip is used, as it does for Python models.
const PythonVariable = "CONCH_PYTHON"

// fetchAll downloads the wheels of an offer, each into a folder of its own. With an error it returns those that have come.
func (s *Store) fetchAll(ctx context.Context, stage string, w Wanted) (files []source, err error) {
	left := room(mostBytes)
	for i, p := range w.Offer.packages() {
		dir := filepath.Join(stage, fmt.Sprint("package", i))
		if err := os.Mkdir(dir, 0o700); err != nil {
			return files, err
		}
		one := Wanted{Offer: p, Tell: w.Tell}
		if w.Progress != nil {
			before := int64(mostBytes - left)
			one.Progress = func(bytes int64) { w.Progress(before + bytes) }
		}
		w.Tell("fetching " + p.Package + " " + p.Version)
		file, err := s.fetch(ctx, dir, one, left)
		if err == nil {
			err = left.fits(file.path)
		}
		if errors.Is(err, errTooLarge) {
			err = tooLarge(p)
		}
		if err != nil {
			return files, err
		}
		files = append(files, file)
	}
	return files, nil
}

// fetch downloads the wheel of an offer into a folder, unless it has more bytes than are left. Where it comes from is the configuration of the user's pip, and it has to have the
// hash that the index tells.
func (s *Store) fetch(ctx context.Context, stage string, w Wanted, left room) (got source, err error) {
	file, err := w.Offer.Wheel()
	if err != nil {
		return got, err
	}
	tool, err := findPip(ctx)
	if err != nil && !errors.Is(err, errNoPip) {
		return got, err
	}
	late := fmt.Errorf("the download took more than %s", period.Text(longestFetch))
	ctx, cancel := context.WithTimeoutCause(ctx, longestFetch, late)
	defer cancel()
	got.proven = true // by the hash that the index tells
	if err != nil {
		if got.path, got.sum, err = s.fetchPlainly(ctx, stage, w, left); err != nil {
			err = fmt.Errorf("%w. %s", err, orByHand)
		}
		return got, err
	}
	if got.path, got.sum, err = s.fetchPart(ctx, stage, w, tool, left); errors.Is(err, errElsewhere) {
		got.proven = file.SHA256 != ""
		got.path, err = fetchByPip(ctx, stage, w, tool, left)
	}
	return got, err
}

// fetchByPip has pip download the wheel of an offer into a folder. What pip writes meanwhile is in that folder too.
func fetchByPip(ctx context.Context, stage string, w Wanted, tool []string, left room) (string, error) {
	file, err := w.Offer.Wheel()
	if err != nil {
		return "", err
	}
	temp, to := filepath.Join(stage, "tmp"), filepath.Join(stage, "wheel")
	if err := errors.Join(os.Mkdir(temp, 0o700), os.Mkdir(to, 0o700)); err != nil {
		return "", err
	}
	ctx, stop := watchBound(ctx, stage, left, w.Progress)
	defer stop()
	cmd := exec.CommandContext(ctx, tool[0], append(tool[1:], pipArguments(w.Offer, file, to)...)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = stage, pipVariables(temp), 5*time.Second
	out := &lastwords.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	err = runWhole(cmd)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		return "", pipFailure(w.Offer, out.String(), err)
	}
	got, err := onlyWheel(to)
	if err == nil {
		err = checkSum(got, filepath.Base(got), file.SHA256)
	}
	return got, err
}

// pipArguments ask for the one wheel, and for nothing that it would need in a Python.
func pipArguments(o Offer, file Wheel, to string) []string {
	return append([]string{"download", "--progress-bar", "off", "--dest", to}, selection(o, file)...)
}

// selection are pip's words for the one wheel.
func selection(o Offer, file Wheel) []string {
	list := []string{
		"--no-input", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:",
		"--implementation", "cp", "--python-version", pythonVersion, "--abi", pythonABI,
	}
	for _, tag := range file.Tags {
		list = append(list, "--platform", tag)
	}
	return append(list, o.Package+"=="+o.Version)
}

// pipVariables are pip's environment variables. A pip that can resume a download tries that several times; others ignore the variable.
func pipVariables(temp string) []string {
	list := append(os.Environ(), "TMPDIR="+temp, "TEMP="+temp, "TMP="+temp, "PYTHONIOENCODING=utf-8", "NO_COLOR=1")
	if _, set := os.LookupEnv("PIP_RESUME_RETRIES"); !set {
		list = append(list, "PIP_RESUME_RETRIES=10")
	}
	return list
}

// errNoPip means that this machine has no pip, and no uv that runs one.
var errNoPip = errors.New("there is no pip to download with")

// orByHand is what helps where a download without pip fails.
const orByHand = "Python with pip (" + PythonVariable + " names one that python3 does not) or uv may know more of your network, such as passwords and " +
	"certificates. Or download the wheel elsewhere, and install it from there: `conch runtime install --from FILE`"

// findPip returns the command of a pip: of CONCH_PYTHON, of python3, or one that uv runs.
func findPip(ctx context.Context) ([]string, error) {
	for _, python := range pythons() {
		command := pip.Command(python)
		if exec.CommandContext(ctx, python, append(command[1:], "--version")...).Run() == nil {
			return command, nil
		}
	}
	if uv, err := exec.LookPath("uv"); err == nil {
		return []string{uv, "tool", "run", "pip"}, nil
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return nil, errNoPip
}

// pythons are the interpreters that are asked for pip and for libraries.
func pythons() (list []string) {
	for _, name := range []string{os.Getenv(PythonVariable), "python3", "python"} {
		if name == "" {
			continue
		}
		if file, err := exec.LookPath(name); err == nil && !slices.Contains(list, file) {
			list = append(list, file)
		}
	}
	return list
}

// onlyWheel returns the wheel in a folder.
func onlyWheel(dir string) (string, error) {
	found := matching(dir, "*.whl")
	if len(found) != 1 {
		return "", fmt.Errorf("pip downloaded %d wheels, not one", len(found))
	}
	return found[0], nil
}

const noIndex = "the package index cannot be reached: look at the network and at pip's settings, or install from a folder with the wheel (in a terminal: --from FOLDER)"

// pipReasons are what pip's words mean.
var pipReasons = []struct{ words, means string }{
	{"No space left on device", "the disk is full"},
	{"THESE PACKAGES DO NOT MATCH THE HASHES", "what came is not what the index has: its hash is another one"},
	{"NewConnectionError", noIndex},
	{"name resolution", noIndex},
	{"(from versions: none)", "the index that pip uses cannot be reached, or has no build for this system: look at the network and at pip's settings"},
	{"No matching distribution found", "the index that pip uses has no such version for this system"},
}

func pipFailure(o Offer, out string, err error) error {
	what := fmt.Sprintf("download %s %s", o.Package, o.Version)
	lines := withoutRetries(strings.Split(strings.TrimSpace(out), "\n"))
	said := strings.Join(lines[max(0, len(lines)-6):], "\n")
	for _, r := range pipReasons {
		if strings.Contains(out, r.words) {
			return fmt.Errorf("%s: %s. pip says: %s", what, r.means, said)
		}
	}
	return fmt.Errorf("%s: pip failed (%w) and says: %s", what, err, said)
}

// withoutRetries leaves out all but the last of the lines in which pip says that it tries again: they differ in a number alone.
func withoutRetries(lines []string) []string {
	retries := func(line string) bool { return strings.HasPrefix(line, "WARNING: Retrying ") }
	last := ""
	for _, line := range lines {
		if retries(line) {
			last = line
		}
	}
	return slices.DeleteFunc(lines, func(line string) bool { return retries(line) && line != last })
}

// watchSize tells once a second how large something has become, until it is stopped.
func watchSize(ctx context.Context, measure func() int64, progress func(int64)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				if progress != nil {
					progress(measure())
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { cancel(); <-done }
}
