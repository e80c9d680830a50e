package environments

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Python is what an interpreter says of itself.
type Python struct {
	Executable string `json:"executable"`
	Version    string `json:"version"`  // "3.11.7"
	Tag        string `json:"tag"`      // "cpython-311"
	Platform   string `json:"platform"` // "linux-x86_64"
	Base       string `json:"base"`     // where it is installed
	Pip        string `json:"pip"`      // the version of its pip; "" for none
}

// facts is the program that prints a Python.
const facts = `import importlib.metadata, json, sys, sysconfig
try:
    pip = importlib.metadata.version("pip")
except Exception:
    pip = ""
print(json.dumps({"executable": sys.executable, "version": "%d.%d.%d" % sys.version_info[:3],
    "tag": sys.implementation.cache_tag or "", "platform": sysconfig.get_platform(), "base": sys.base_prefix, "pip": pip}))`

// finds is the program that prints those of its arguments that cannot be imported. Nothing is imported for it.
const finds = `import importlib.util, sys
from importlib.machinery import PathFinder
def find(name):
    top, *rest = name.split(".")
    found, at = importlib.util.find_spec(top), top
    for part in rest:
        at = f"{at}.{part}"
        found = found and PathFinder.find_spec(at, found.submodule_search_locations or [])
    return found
for name in sys.argv[1:]:
    try:
        found = find(name)
    except ImportError:
        found = None
    if found is None:
        print(name)`

// askPatience is how long an interpreter may take for such a program.
const askPatience = time.Minute

// Ask runs a small program of Conch, and returns what it prints.
func (s *Store) Ask(ctx context.Context, interpreter, program string, arguments ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	// -I keeps out what the folder and the environment variables would add: nothing of a repository is imported here.
	cmd := exec.Command(interpreter, append([]string{"-I", "-c", program}, arguments...)...)
	var out, problems strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := s.Run(ctx, cmd); err != nil {
		return "", fmt.Errorf("%s cannot be run: %w\n%s", interpreter, err, problems.String())
	}
	return out.String(), nil
}

// known is what an interpreter has said, and the file that it was then.
type known struct {
	python Python
	size   int64
	time   time.Time
}

// Python asks an interpreter for its version and platform, once for each that is installed.
func (s *Store) Python(ctx context.Context, interpreter string) (Python, error) {
	info, err := os.Stat(interpreter)
	if err != nil {
		return Python{}, err
	}
	pythons := s.pythons.Lock()
	k, asked := (*pythons)[interpreter]
	s.pythons.Unlock()
	if asked && k.size == info.Size() && k.time.Equal(info.ModTime()) {
		return k.python, nil
	}
	text, err := s.Ask(ctx, interpreter, facts)
	if err != nil {
		return Python{}, err
	}
	k = known{size: info.Size(), time: info.ModTime()}
	if err := json.Unmarshal([]byte(text), &k.python); err != nil {
		return Python{}, fmt.Errorf("%s does not say its version: %w", interpreter, err)
	}
	pythons = s.pythons.Lock()
	defer s.pythons.Unlock()
	if *pythons == nil {
		*pythons = map[string]known{}
	}
	(*pythons)[interpreter] = k
	return k.python, nil
}

// Lacks returns those of the modules that an interpreter cannot import.
func (s *Store) Lacks(ctx context.Context, interpreter string, modules ...string) ([]string, error) {
	text, err := s.Ask(ctx, interpreter, finds, modules...)
	return slices.Collect(strings.FieldsSeq(text)), err
}

// ID returns the name of the environment that is wanted.
func (s *Store) ID(ctx context.Context, w Wanted) (string, error) {
	python, err := s.Python(ctx, w.Interpreter)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, part := range append([]string{always, python.Version, python.Tag, python.Platform, python.Base}, w.Requirements.parts()...) {
		fmt.Fprintf(sum, "%d %s\n", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))[:32], nil
}
