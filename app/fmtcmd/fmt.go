// Package fmtcmd formats the configs of whole repositories, for `conch fmt`: it finds the files,
// formats them, and lists, shows or writes what changes. Comments and blank lines stay. A file that
// cannot be parsed stays as it is.
package fmtcmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"conch/app/visible"
	"conch/configedit/edit"
	"conch/configedit/folder"
	"conch/repo/write"
)

// Options say what to do with files that change. With none of them, Run writes the
// formatted text to w.
type Options struct {
	List, Diff, Write Switch
}

// Switch turns something on or off.
type Switch bool

// Run formats the configs at paths, which are files or folders, and returns how many of them change.
// If one cannot be formatted, the others are still formatted.
func Run(paths []string, opts Options, w io.Writer) (changed int, err error) {
	files, err := find(paths)
	if err != nil {
		return 0, err
	}
	var failed []error
	for _, file := range files {
		differs, err := one(file, opts, w)
		if err != nil {
			failed = append(failed, err)
		} else if differs {
			changed++
		}
	}
	return changed, errors.Join(failed...)
}

// find lists the files. In folders it takes every config.pbtxt and the files of configs folders.
func find(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("find what to format: %w", err)
		}
		if !info.IsDir() {
			files = append(files, path)
			continue
		}
		err = filepath.WalkDir(path, func(at string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() && folder.IsConfig(filepath.Base(filepath.Dir(at))+"/"+filepath.Base(at)) {
				files = append(files, at)
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("find what to format: %w", err)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

func one(file string, opts Options, w io.Writer) (bool, error) {
	src, version, err := write.Read(file)
	if err != nil {
		return false, fmt.Errorf("format %s: %w", file, err)
	}
	out, err := edit.Format(src)
	if err != nil {
		return false, fmt.Errorf("%s: %w", file, err)
	}
	if !opts.List && !opts.Diff && !opts.Write {
		_, err := w.Write(out)
		return !bytes.Equal(src, out), err
	}
	if bytes.Equal(src, out) {
		return false, nil
	}
	if opts.List {
		fmt.Fprintln(w, visible.Line(file))
	}
	if opts.Diff {
		text, err := diff(file, string(src), string(out))
		if err != nil {
			return true, err
		}
		fmt.Fprint(w, text)
	}
	if opts.Write {
		if _, err := write.Save(file, out, version); err != nil {
			return true, fmt.Errorf("format %s: %w", file, err)
		}
	}
	return true, nil
}
