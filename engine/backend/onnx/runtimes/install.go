package runtimes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"conch/engine/filelock"
)

// Wanted is a build that somebody wants.
type Wanted struct {
	// Offer is what is fetched. Its version may be another than the offered one. It is empty for a build that From alone describes.
	Offer Offer
	// From is a wheel, or a folder with the libraries; "" to fetch the offer.
	From string
	// Tell gets what happens, for people.
	Tell func(string)
	// Progress gets how many bytes have come of a download; nil when nobody looks.
	Progress func(bytes int64)
}

// Installed is what Install made.
type Installed struct {
	Build  Build
	Report Report
	Before bool // it was there
}

// Install installs a build. Where another process changes the store, it waits for that. When ctx ends, or after any error, nothing
// of it is left but the part that has come of a download.
func (s *Store) Install(ctx context.Context, w Wanted) (done Installed, err error) {
	if err := checkName(w.Offer.Name); err != nil {
		return done, err
	}
	turn, err := s.turn(ctx, func() { w.Tell("waiting for another change of the installed builds") })
	if err != nil {
		return done, err
	}
	defer turn.End()
	s.sweep(turn)
	s.sweepParts()
	if w.From == "" {
		if done, err = s.published(ctx, w.Offer.Name+"-"+w.Offer.Version); done.Before || err != nil {
			return done, err
		}
	}
	stage, err := turn.Folder(s.builds(), newPrefix+"*")
	if err != nil {
		return done, s.plain(err)
	}
	defer func() {
		err = errors.Join(s.plain(err), os.RemoveAll(stage))
	}()
	return s.build(ctx, stage, w)
}

// build makes a build in a folder and moves it to its place.
func (s *Store) build(ctx context.Context, stage string, w Wanted) (done Installed, err error) {
	b := Build{Name: w.Offer.Name, Source: w.From}
	from, stopped := []source{{path: w.From}}, false
	if w.From == "" {
		from, err = s.fetchAll(ctx, stage, w)
		defer func() {
			if err != nil && (ctx.Err() != nil || full(err) || stopped) {
				s.keepParts(from)
			}
		}()
		if err != nil {
			return done, err
		}
		b.Source = baseNames(from)
	}
	dir := filepath.Join(stage, "build")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return done, err
	}
	w.Tell("unpacking and checking")
	name, err := place(ctx, from, dir, &b)
	if err != nil {
		return done, err
	}
	if b.Library = filepath.Join(dir, LibraryName()); b.Name == "" {
		b.Name = name
	}
	if _, err := os.Stat(b.Library); err != nil {
		return done, fmt.Errorf("%s has no %s", b.Source, LibraryName())
	}
	if done.Report, err = s.Ask(ctx, b.Library); err != nil {
		stopped = errors.Is(err, ErrStopped) // nothing is known to be wrong with what has come
		return done, unfitBuild(ctx, b, err)
	}
	b.Version, b.Made, b.Bytes = done.Report.Version, time.Now(), size(dir)
	b.ID = b.Name + "-" + b.Version
	done.Build, done.Before, err = s.settle(ctx, b, dir)
	return done, err
}

// unfitBuild says why a build that was asked what it is cannot be installed.
func unfitBuild(ctx context.Context, b Build, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return context.Cause(ctx)
	}
	why := strings.ReplaceAll(err.Error(), b.Library, LibraryName()) // its folder is gone when this is read
	if errors.Is(err, ErrStopped) {
		return fmt.Errorf("the ONNX Runtime in %s was not installed: %s", b.Source, why)
	}
	if strings.HasPrefix(filepath.Base(b.Source), "onnxruntime_openvino-") {
		why += ". `conch runtime install openvino` takes another package, which works"
	}
	return fmt.Errorf("the ONNX Runtime in %s does not work with this Conch: %s%s", b.Source, why, broken(err))
}

// source is a wheel or a folder that a build is made of.
type source struct {
	path   string
	proven bool   // it has a hash that was published
	sum    string // its hash, where it could be downloaded again in parts; "" otherwise
}

// baseNames are the names of files without their folders.
func baseNames(files []source) string {
	var names []string
	for _, file := range files {
		names = append(names, filepath.Base(file.path))
	}
	return strings.Join(names, " and ")
}

// place puts the files of wheels or of a folder into a new folder, and returns the name that the build has by itself. It notes in the build what
// no published hash vouches for.
func place(ctx context.Context, from []source, dir string, b *Build) (string, error) {
	given := from[0].path
	if info, err := os.Stat(given); errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("there is no %s: name a wheel, or a folder with wheels or with the libraries", given)
	} else if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w", given, err)
	} else if info.IsDir() {
		wheels, err := carried(given)
		if err != nil {
			return "", err
		}
		if len(wheels) == 0 {
			b.Unproven = []string{given}
			return "local", copyFolder(ctx, given, dir)
		}
		from = wheels
	} else if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is neither a wheel nor a folder", given)
	}
	var packages []string
	left := room(mostBytes)
	for _, file := range from {
		name, proven, err := placeWheel(file.path, dir, &left)
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return "", err
		}
		packages = append(packages, name)
		if !proven && !file.proven {
			b.Unproven = append(b.Unproven, filepath.Base(file.path))
		}
	}
	return nameOf(packages), nil
}

// carried are the wheels of a folder that was carried here, the one with ONNX Runtime itself first; none where the folder has none.
func carried(dir string) (wheels []source, err error) {
	found := matching(dir, "onnxruntime*.whl")
	for _, file := range found {
		wheels = append(wheels, source{path: file})
	}
	plugin := slices.IndexFunc(found, func(file string) bool { return strings.HasPrefix(filepath.Base(file), "onnxruntime_ep_") })
	switch {
	case len(wheels) < 2:
		return wheels, nil
	case len(wheels) == 2 && plugin >= 0:
		return []source{wheels[1-plugin], wheels[plugin]}, nil
	}
	return nil, fmt.Errorf("%s has %d wheels of ONNX Runtime: name the one to install. They are %s", dir, len(wheels), baseNames(wheels))
}

// matching are the files below a folder whose paths in it match a pattern. The folder's own path may have any characters.
func matching(dir, pattern string) (files []string) {
	found, _ := fs.Glob(os.DirFS(dir), pattern) // the patterns are good
	for _, name := range found {
		files = append(files, filepath.Join(dir, filepath.FromSlash(name)))
	}
	return files
}

// placeWheel puts the files of a wheel into a folder. It returns the package's name, and whether the wheel has its published hash.
func placeWheel(file, dir string, left *room) (string, bool, error) {
	if err := checkPlatform(file); err != nil {
		return "", false, err
	}
	w, err := openWheel(file, left)
	if err != nil {
		return "", false, err
	}
	defer w.close()
	proven, err := w.checkPinned()
	if err != nil {
		return "", false, err
	}
	return w.Package, proven, w.unpack(dir)
}

// nameOf is the name of the offer with these packages, or else the first package's.
func nameOf(packages []string) string {
	for _, o := range Offers {
		var names []string
		for _, p := range o.packages() {
			names = append(names, p.Package)
		}
		if slices.Equal(names, packages) {
			return o.Name
		}
	}
	return packages[0]
}

// checkPinned compares the whole wheel with the offer's hash, where it is that very wheel, and reports whether it was.
func (w *wheel) checkPinned() (bool, error) {
	for _, offered := range Offers {
		for _, o := range offered.packages() {
			ours, err := o.Wheel()
			if err != nil || o.Package != w.Package || o.Version != w.Version {
				continue
			}
			name := filepath.Base(w.path)
			if (strings.Contains(name, "-"+pythonABI+"-") || strings.Contains(name, "-none-")) && strings.Contains(name, ours.Tags[0]) {
				return ours.SHA256 != "", checkSum(w.path, name, ours.SHA256)
			}
		}
	}
	return false, nil
}

// sweep removes what processes have left that were killed.
func (s *Store) sweep(turn *filelock.Turn) {
	entries, _ := os.ReadDir(s.builds())
	for _, entry := range entries {
		dir := filepath.Join(s.builds(), entry.Name())
		if strings.HasPrefix(entry.Name(), newPrefix) {
			if turn.Left(dir) {
				_ = os.RemoveAll(dir)
			}
			continue
		}
		old := strings.HasPrefix(entry.Name(), oldPrefix)
		if _, err := os.Stat(filepath.Join(dir, wholeName)); old || (err != nil && !filelock.InUse(filepath.Join(dir, usesName))) {
			_ = os.RemoveAll(dir)
		}
	}
}

// full reports that an error comes from a disk without room.
func full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// plain says in plain words what an error of the disk means. Which file it was is left out: that is gone when this is read.
func (s *Store) plain(err error) error {
	if full(err) {
		return fmt.Errorf("the disk is full: nothing was installed in %s. Make room there and try again", s.Dir)
	}
	return err
}

// size returns the bytes of a folder's files, or of a file.
func size(dir string) (sum int64) {
	_ = filepath.WalkDir(dir, func(_ string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			if info, err := entry.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil
	})
	return sum
}
