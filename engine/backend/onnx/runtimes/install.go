package runtimes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	lock, err := s.lock(ctx, func() { w.Tell("waiting for another change of the installed builds") })
	if err != nil {
		return done, err
	}
	defer func() { _ = lock.Close() }()
	s.sweep()
	s.sweepParts()
	if w.From == "" {
		if b, failed := s.read(w.Offer.Name + "-" + w.Offer.Version); failed == nil {
			done.Before, done.Build = true, b
			done.Report, err = s.Ask(ctx, b.Library)
			return done, err
		}
	}
	stage, err := os.MkdirTemp(s.builds(), newPrefix)
	if err != nil {
		return done, plain(err)
	}
	defer func() {
		err = errors.Join(plain(err), os.RemoveAll(stage))
	}()
	return s.build(ctx, stage, w)
}

// build makes a build in a folder and moves it to its place.
func (s *Store) build(ctx context.Context, stage string, w Wanted) (done Installed, err error) {
	b := Build{Name: w.Offer.Name, Source: w.From}
	from := w.From
	if from == "" {
		w.Tell("fetching " + w.Offer.Package + " " + w.Offer.Version)
		if from, err = s.fetch(ctx, stage, w); err != nil {
			return done, err
		}
		b.Source = filepath.Base(from)
	}
	dir := filepath.Join(stage, "build")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return done, err
	}
	w.Tell("unpacking and checking")
	name, err := place(ctx, from, dir)
	if err != nil {
		return done, err
	}
	if b.Library = filepath.Join(dir, LibraryName()); b.Name == "" {
		b.Name = name
	}
	if _, err := os.Stat(b.Library); err != nil {
		return done, fmt.Errorf("%s has no %s", from, LibraryName())
	}
	if done.Report, err = s.Ask(ctx, b.Library); err != nil {
		why := strings.ReplaceAll(err.Error(), b.Library, LibraryName()) // its folder is gone when this is read
		return done, fmt.Errorf("the ONNX Runtime in %s does not work with this Conch: %s", from, why)
	}
	b.Version, b.Made, b.Bytes = done.Report.Version, time.Now(), size(dir)
	b.ID = b.Name + "-" + b.Version
	done.Build, done.Before, err = s.settle(ctx, b, dir)
	return done, err
}

// place puts the files of a wheel or of a folder into a new folder, and returns the name that the build has by itself.
func place(ctx context.Context, from, dir string) (string, error) {
	info, err := os.Stat(from)
	if err != nil {
		return "", err
	}
	if wheels, _ := filepath.Glob(filepath.Join(from, "onnxruntime*.whl")); info.IsDir() && len(wheels) == 1 {
		from = wheels[0] // a folder that was carried here
	} else if info.IsDir() {
		return "local", copyFolder(from, dir)
	}
	w, err := openWheel(from)
	if err != nil {
		return "", err
	}
	defer w.close()
	if err := w.checkPinned(); err != nil {
		return "", err
	}
	return w.name(), errors.Join(w.unpack(dir), context.Cause(ctx))
}

// name is that of the offer which the wheel belongs to, or else the package's.
func (w *wheel) name() string {
	for _, o := range Offers {
		if o.Package == w.Package {
			return o.Name
		}
	}
	return w.Package
}

// checkPinned compares the whole wheel with the offer's hash, where it is that very wheel.
func (w *wheel) checkPinned() error {
	for _, o := range Offers {
		ours, err := o.Wheel()
		if err != nil || o.Package != w.Package || o.Version != w.Version {
			continue
		}
		if name := filepath.Base(w.path); strings.Contains(name, "-"+pythonABI+"-") && strings.Contains(name, ours.Tags[0]) {
			return checkSum(w.path, ours.SHA256)
		}
	}
	return nil
}

// settle moves a whole build to its place, unless it is there.
func (s *Store) settle(ctx context.Context, b Build, dir string) (Build, bool, error) {
	if !goodID.MatchString(b.ID) {
		return b, false, fmt.Errorf("%q cannot be the name of a folder: name the build, as in `conch runtime install NAME --from …`", b.ID)
	}
	if before, err := s.read(b.ID); err == nil {
		return before, true, nil
	}
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return b, false, err
	}
	if err := replace(filepath.Join(dir, wholeName), string(text)+"\n"); err != nil {
		return b, false, err
	}
	if err := context.Cause(ctx); err != nil {
		return b, false, err
	}
	to := filepath.Join(s.builds(), b.ID)
	if err := errors.Join(os.RemoveAll(to), os.Rename(dir, to)); err != nil { // what is there is not whole
		return b, false, err
	}
	b.Library = filepath.Join(to, LibraryName())
	return b, false, nil
}

// sweep removes what processes have left that were killed. The lock is held, so that nobody works there.
func (s *Store) sweep() {
	entries, _ := os.ReadDir(s.builds())
	for _, entry := range entries {
		dir := filepath.Join(s.builds(), entry.Name())
		old := strings.HasPrefix(entry.Name(), newPrefix) || strings.HasPrefix(entry.Name(), oldPrefix)
		if _, err := os.Stat(filepath.Join(dir, wholeName)); old || (err != nil && !filelock.InUse(filepath.Join(dir, usesName))) {
			_ = os.RemoveAll(dir)
		}
	}
}

// plain says in plain words what an error of the disk means.
func plain(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("the disk is full: nothing was installed: %w", err)
	}
	return err
}

// size returns the bytes of a folder's files.
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
