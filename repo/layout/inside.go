package layout

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxLinks bounds the symbolic links followed for one path, as Linux does.
const maxLinks = 40

// ErrOutside is the reason of an OutsideError, for errors.Is.
var ErrOutside = errors.New("path leads outside the repository")

// OutsideError tells which path was refused, and for which folder.
type OutsideError struct{ Root, Path string }

func (e *OutsideError) Error() string {
	return fmt.Sprintf("%q leads outside %s: only files in the repository can be used", e.Path, e.Root)
}

// Is makes errors.Is(err, ErrOutside) true.
func (e *OutsideError) Is(target error) bool { return target == ErrOutside }

// Inside turns a path relative to root into a real path with every symbolic
// link resolved, and refuses whatever does not lie in root afterwards. What
// does not exist yet is allowed, below a folder that is inside; a dangling
// link counts as the place that it points to.
//
// A model folder may be a symbolic link to another disk, which Triton
// follows. To work in one, call Inside with the model's own folder as root.
func Inside(root, rel string) (string, error) {
	local := filepath.FromSlash(rel)
	if rel == "" || rel == "." {
		local = "."
	} else if strings.ContainsRune(rel, 0) || !filepath.IsLocal(local) {
		return "", &OutsideError{Root: root, Path: rel}
	}
	abs, err := filepath.Abs(root)
	if err != nil {
		return "", fmt.Errorf("finding %s: %w", root, err)
	}
	realRoot, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", fmt.Errorf("finding %s: %w", root, err)
	}
	real, err := resolve(filepath.Join(realRoot, local))
	if err != nil {
		return "", fmt.Errorf("finding %s in %s: %w", rel, root, err)
	}
	if !Below(realRoot, real) {
		return "", &OutsideError{Root: root, Path: rel}
	}
	return real, nil
}

// Below reports whether a clean path is dir or lies in it, by name alone.
func Below(dir, path string) bool {
	if dir == path {
		return true
	}
	if !strings.HasSuffix(dir, string(filepath.Separator)) {
		dir += string(filepath.Separator)
	}
	return strings.HasPrefix(path, dir)
}

// resolve follows the links of an absolute path step by step. Unlike
// filepath.EvalSymlinks it goes on where the rest does not exist.
func resolve(path string) (string, error) {
	done, rest := splitVolume(path)
	links := 0
	for rest != "" {
		var step string
		step, rest, _ = strings.Cut(rest, string(filepath.Separator))
		switch step {
		case "", ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, step)
		target, err := readLink(next)
		if err != nil {
			return "", err
		}
		if target == "" {
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("%s: too many symbolic links", path)
		}
		if filepath.IsAbs(target) {
			done, target = splitVolume(target)
		}
		rest = target + string(filepath.Separator) + rest
	}
	return done, nil
}

func splitVolume(path string) (root, rest string) {
	volume := filepath.VolumeName(path)
	return volume + string(filepath.Separator), strings.TrimPrefix(path[len(volume):], string(filepath.Separator))
}

// readLink returns a link's target, or "" for a path that is not a link or does not exist.
func readLink(path string) (string, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || isNotDir(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return "", nil
	}
	return os.Readlink(path)
}
