package pack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"conch/configedit/folder"
	"conch/configedit/reach"
	"conch/repo/layout"
)

// Copy is a copy of repositories in which environments are packed.
type Copy struct {
	// To is the folder of the copies. Each repository is in a folder of its own name there.
	To string
	// Interpreter is the Python whose pip takes packages from lists.
	Interpreter string
	// Python is the version of the image, such as 3.12.
	Python string
	// Told gets a line for each environment.
	Told func(string)
}

// At is where the copy of a repository is.
func At(to, root string) string { return filepath.Join(to, filepath.Base(root)) }

// Make makes the copies. What is at To stays until all of it is there, and is then replaced.
func (c Copy) Make(ctx context.Context, roots []string, sources []Source) error {
	beside := c.To + ".conch-new"
	if err := os.RemoveAll(beside); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(beside) }()
	for _, root := range roots {
		if err := copyTree(ctx, root, At(beside, root)); err != nil {
			return fmt.Errorf("copy %s: %w", root, err)
		}
		for _, source := range sources {
			below, err := filepath.Rel(root, source.Dir)
			if err != nil || !filepath.IsLocal(below) {
				continue // it is in another repository
			}
			if err := c.pack(ctx, source, filepath.Join(At(beside, root), below)); err != nil {
				return fmt.Errorf("pack the environment of %s: %w", source.Dir, err)
			}
		}
	}
	if err := os.RemoveAll(c.To); err != nil {
		return err
	}
	return os.Rename(beside, c.To)
}

// pack writes the archive into the copy of a model, and its name into the configs there.
func (c Copy) pack(ctx context.Context, s Source, model string) error {
	packages, python := s.packages(), s.Python
	if s.List != "" {
		temp, err := os.MkdirTemp("", "conch-wheels-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(temp) }()
		c.Told("taking the packages of " + s.List)
		if err := install(ctx, c.Interpreter, s.List, c.Python, temp); err != nil {
			return err
		}
		packages, python = temp, c.Python
	}
	to := filepath.Join(model, Name)
	if err := write(ctx, to, packages, python); err != nil {
		return err
	}
	if info, err := os.Stat(to); err == nil {
		c.Told(fmt.Sprintf("packed: the environment of %s, Python %s, %.1f MB", filepath.Base(model), python, float64(info.Size())/1e6))
	}
	for _, file := range append(within(model, "configs/*.pbtxt"), filepath.Join(model, folder.ConfigName)) {
		if err := named(file); err != nil {
			return err
		}
	}
	return nil
}

// named adds the parameter to a config. Everything else in it stays.
func named(file string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "\nparameters { key: %q value { string_value: %q } }\n", reach.Environment, "$$TRITON_MODEL_DIRECTORY/"+Name)
	return errors.Join(err, f.Close())
}

// copyTree copies the files of a folder, and what links lead to. Environments and noise such as .git stay behind.
func copyTree(ctx context.Context, from, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		source, target := filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name())
		info, err := os.Stat(source)
		switch {
		case err != nil:
			return err
		case info.IsDir() && (entry.Name() == Folder || layout.NoiseDir(entry.Name())):
		case info.IsDir() && entry.Type()&fs.ModeSymlink != 0 && around(source):
			err = fmt.Errorf("the link %s leads to a folder that it lies in", source)
		case info.IsDir():
			err = copyTree(ctx, source, target)
		case info.Mode().IsRegular():
			err = copyFile(source, target, info.Mode().Perm()|0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// around reports whether a link leads to a folder that it lies in.
func around(link string) bool {
	end, err := filepath.EvalSymlinks(link)
	if err != nil {
		return true
	}
	place, err := filepath.EvalSymlinks(filepath.Dir(link))
	return err != nil || layout.Below(end, place)
}

func copyFile(from, to string, mode fs.FileMode) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
