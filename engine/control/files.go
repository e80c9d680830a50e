package control

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"conch/engine/infer"
	"conch/engine/model"
)

// given are the folders of models that were loaded from a client's files (triton-config D.8, file override). Each is
// removed when the last version made from it has been freed. Manager.mu guards it.
type given struct {
	base string         // holds them; "" before the first
	uses map[string]int // by model folder: the versions that serve or drain, and the load under way
}

// lay writes a client's files into a folder of their own, which is in use until letGo. The errors are Triton's and end in
// its log; a client is told no more than that polling failed.
func (m *Manager) lay(name string, r Request) (*Found, error) {
	if r.Override == "" {
		return nil, infer.Errorf(infer.InvalidArg, "Load parameter 'config' must be specified for model file override")
	}
	base, err := m.givenBase()
	if err != nil {
		return nil, fmt.Errorf("make a folder for the files of model '%s': %w", name, err)
	}
	root, err := os.MkdirTemp(base, "load-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the files of model '%s': %w", name, err)
	}
	dir := filepath.Join(root, "model")
	m.use(dir)
	if err := writeFiles(dir, r.Files); err != nil {
		m.letGo(dir)
		return nil, err
	}
	f := &Found{Name: name, Root: root, Dir: dir, ConfigPrint: dir, FilesPrint: dir}
	if err := addVersions(f); err != nil {
		m.letGo(dir)
		return nil, err
	}
	return f, nil
}

func writeFiles(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make %s: %w", dir, err)
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		inside := filepath.Clean(strings.TrimLeft(path, "/")) // an absolute path counts from the model's folder
		if !filepath.IsLocal(inside) || inside == "." {
			return infer.Errorf(infer.InvalidArg, "Invalid file parameter 'file:%s' with normalized path '%s' must stay within model directory.", path, inside)
		}
		full := filepath.Join(dir, inside)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			return infer.Errorf(infer.InvalidArg, "Invalid file parameter 'file:%s', directory has been created as a file", path)
		}
		if err := os.WriteFile(full, files[path], 0o600); err != nil {
			return fmt.Errorf("write the file 'file:%s' of a load: %w", path, err)
		}
	}
	return nil
}

// addVersions lists the version folders that the files are in: decimal names without zeros in front (triton-config D.2).
func addVersions(f *Found) error {
	entries, err := os.ReadDir(f.Dir)
	if err != nil {
		return fmt.Errorf("list the files of model '%s': %w", f.Name, err)
	}
	for _, e := range entries {
		number, err := strconv.ParseInt(e.Name(), 10, 64)
		if e.IsDir() && err == nil && strconv.FormatInt(number, 10) == e.Name() {
			dir := filepath.Join(f.Dir, e.Name())
			f.Versions = append(f.Versions, FoundVersion{Number: number, Dir: dir, Print: dir})
		}
	}
	slices.SortFunc(f.Versions, func(a, b FoundVersion) int { return int(min(max(a.Number-b.Number, -1), 1)) })
	return nil
}

func (m *Manager) givenBase() (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.given.base != "" {
		return m.given.base, nil
	}
	sweep()
	base, err := os.MkdirTemp("", fmt.Sprintf("%s%d-", givenPrefix, os.Getpid()))
	if err == nil {
		m.given.base = base
	}
	return base, err
}

// givenPrefix begins the name of a folder of clients' files; the number of the process comes behind it.
const givenPrefix = "conch-models-"

// sweep removes the folders of processes that ended without doing so.
func sweep() {
	folders, _ := filepath.Glob(filepath.Join(os.TempDir(), givenPrefix+"*-*")) // the pattern is well formed
	for _, folder := range folders {
		text, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(folder), givenPrefix), "-")
		if pid, err := strconv.Atoi(text); err == nil && !alive(pid) {
			_ = os.RemoveAll(folder) // another user's stays
		}
	}
}

// alive says whether there is a process; where the system does not tell, there is.
func alive(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	return !errors.Is(process.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

func (m *Manager) use(dir string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.given.uses[dir]++
}

// useBy keeps the folder of a version until it is freed, where it is one of a client's files. m.mu is held.
func (m *Manager) useBy(v *model.Version) {
	if m.given.uses[v.Dir()] > 0 {
		m.given.uses[v.Dir()]++
	}
}

// letGo removes a folder of files that nobody uses any more. It does nothing to any other folder.
func (m *Manager) letGo(dir string) {
	m.mu.Lock()
	m.given.uses[dir]--
	last := m.given.uses[dir] == 0
	if m.given.uses[dir] <= 0 {
		delete(m.given.uses, dir)
	}
	m.mu.Unlock()
	if !last {
		return
	}
	if err := os.RemoveAll(filepath.Dir(dir)); err != nil {
		m.log.Warn("removing the files of a load", "error", err)
	}
}

// removeGiven removes what is left of clients' files at the end.
func (m *Manager) removeGiven() {
	m.mu.Lock()
	base := m.given.base
	m.mu.Unlock()
	if base == "" {
		return
	}
	if err := os.RemoveAll(base); err != nil {
		m.log.Warn("removing the files of loads", "error", err)
	}
}
