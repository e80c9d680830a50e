package pack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"conch/app/userfile"
	"conch/configedit/bytesize"
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
	// Image is what runs the environments.
	Image Image
	// Told gets a line for each environment.
	Told func(string)
}

// mark is a file that only a folder of copies has, so that no other folder is replaced.
const mark = ".conch-copy"

// Ours reports whether a folder was made by Make.
func Ours(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, mark))
	return err == nil && info.Mode().IsRegular()
}

// At is where the copy of a repository is.
func At(to, root string) string { return filepath.Join(to, filepath.Base(root)) }

// Make makes the copies, in a folder of its own beside To. What is at To stays until all of it is there, and is then replaced.
func (c Copy) Make(ctx context.Context, roots []string, sources []Source) (err error) {
	parent := filepath.Dir(c.To)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	own, err := userfile.MakeScratch(parent, filepath.Base(c.To)+".conch-new")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, own.Remove()) }()
	beside := filepath.Join(own.Path(), "copies")
	if err := os.Mkdir(beside, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(beside, mark), nil, 0o644); err != nil {
		return err
	}
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
		if err := install(ctx, c.Interpreter, s.List, c.Image, temp); err != nil {
			return err
		}
		packages, python = temp, c.Image.Python
	}
	to := filepath.Join(model, Name)
	if err := write(ctx, to, packages, python); err != nil {
		return err
	}
	if info, err := os.Stat(to); err == nil {
		c.Told(fmt.Sprintf("packed: the environment of %s, Python %s, %s", filepath.Base(model), python, bytesize.Text(info.Size())))
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
	w := walk{ctx: ctx}
	return w.folder(from, func() error { return w.copy(from, to) })
}

// walk goes through folders and what links lead to. Some links can stand for more files than a disk has.
type walk struct {
	ctx    context.Context
	around []string // the folders that it is in, without links
	seen   int
}

// folder does something in a folder, unless it is in that folder already.
func (w *walk) folder(dir string, do func() error) error {
	end, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	if slices.Contains(w.around, end) {
		return fmt.Errorf("the link %s leads to a folder that it lies in", dir)
	}
	w.around = append(w.around, end)
	err = do()
	w.around = w.around[:len(w.around)-1]
	return err
}

// next counts an entry.
func (w *walk) next() error {
	if w.seen++; w.seen > layout.MaxAll {
		return errors.New("it has more than a million entries, with those that links lead to")
	}
	return w.ctx.Err()
}

func (w *walk) copy(from, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := w.next(); err != nil {
			return err
		}
		source, target := filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name())
		info, err := os.Stat(source)
		switch {
		case err != nil:
			return err
		case info.IsDir() && (entry.Name() == Folder || layout.NoiseDir(entry.Name())):
		case info.IsDir():
			err = w.folder(source, func() error { return w.copy(source, target) })
		case info.Mode().IsRegular():
			err = copyFile(source, target, info.Mode().Perm()|0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
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
