package control

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"conch/configedit/folder"
	"conch/engine/guarded"
	"conch/engine/infer"
	"conch/engine/model"
)

// clientFiles are the folders of models that were loaded from a client's files (docs/triton/loading.md,
// "Files of a load request"). Each is removed when the last version made from it has been freed.
type clientFiles struct {
	*core
	folders guarded.Value[clientFolders]
}

// clientFolders are the folders in use.
type clientFolders struct {
	base *givenFolder   // holds them; nil before the first
	left []string       // earlier ones, of which another program removed at least a part
	uses map[string]int // by model folder: the versions that serve or drain, and the load under way; always 1 or more
}

func newClientFiles(c *core) *clientFiles {
	files := &clientFiles{core: c}
	files.folders.Lock().uses = map[string]int{}
	files.folders.Unlock()
	return files
}

// lay writes a client's files to a new folder, which is in use until letGo. The errors are Triton's
// and are only logged; the client learns only that polling failed.
func (c *clientFiles) lay(name string, r Request) (*Found, error) {
	if r.Override == "" {
		return nil, infer.Errorf(infer.InvalidArg, "Load parameter 'config' must be specified for model file override")
	}
	base, err := c.givenBase()
	if err != nil {
		return nil, fmt.Errorf("make a folder for the files of model '%s': %w", name, err)
	}
	root, err := os.MkdirTemp(base.path, "load-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the files of model '%s': %w", name, err)
	}
	dir := filepath.Join(root, "model")
	c.use(dir)
	if err := writeFiles(dir, r.Files); err != nil {
		c.letGo(dir)
		return nil, err
	}
	f := &Found{Name: name, Root: root, Dir: dir, ConfigPrint: dir, FilesPrint: dir}
	if err := addVersions(f); err != nil {
		c.letGo(dir)
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
			return infer.Errorf(infer.InvalidArg, "Invalid file parameter 'file:%s' with normalized path '%s' must stay "+
				"within model directory.", path, inside)
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

// addVersions lists the version folders that hold the files, as in a repository
// (docs/triton/repository.md, "Version folders").
func addVersions(f *Found) error {
	entries, err := os.ReadDir(f.Dir)
	if err != nil {
		return fmt.Errorf("list the files of model '%s': %w", f.Name, err)
	}
	for _, e := range entries {
		if number, ok := folder.Version(e.Name()); e.IsDir() && ok {
			dir := filepath.Join(f.Dir, folder.VersionDir(number))
			f.Versions = append(f.Versions, FoundVersion{Number: number, Dir: dir, Print: dir})
		}
	}
	slices.SortFunc(f.Versions, func(a, b FoundVersion) int { return cmp.Compare(a.Number, b.Number) })
	f.Versions = slices.Compact(f.Versions) // 1 and 1abc are one version
	return nil
}

// use keeps a folder until letGo.
func (c *clientFiles) use(dir string) {
	folders := c.folders.Lock()
	defer c.folders.Unlock()
	folders.uses[dir]++
}

// useBy keeps the folder of a version until letGo, if the folder has a client's files. The load still uses it.
func (c *clientFiles) useBy(v *model.Version) {
	folders := c.folders.Lock()
	defer c.folders.Unlock()
	if folders.uses[v.Dir()] > 0 {
		folders.uses[v.Dir()]++
	}
}

// letGo ends one use of a folder of clients' files, and removes the folder after the last use. It
// ignores any other folder.
func (c *clientFiles) letGo(dir string) {
	folders := c.folders.Lock()
	last := folders.letGo(dir)
	c.folders.Unlock()
	if !last {
		return
	}
	if err := os.RemoveAll(filepath.Dir(dir)); err != nil {
		c.log.Warn("removing the files of a load", "error", err)
	}
}

// letGo ends a use, and reports whether it was the last.
func (f *clientFolders) letGo(dir string) (last bool) {
	if f.uses[dir] == 0 {
		return false
	}
	f.uses[dir]--
	if f.uses[dir] > 0 {
		return false
	}
	delete(f.uses, dir)
	return true
}
