package runtimes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	turn, err := s.turn(ctx, func() { w.Tell("waiting for another change of the installed builds") })
	if err != nil {
		return done, err
	}
	defer turn.End()
	s.sweep(turn)
	s.sweepParts()
	if w.From == "" {
		done.Build, done.Report, done.Before = s.works(ctx, w.Offer.Name+"-"+w.Offer.Version)
		if err := context.Cause(ctx); done.Before || err != nil {
			return done, err
		}
	}
	stage, err := turn.Folder(s.builds(), newPrefix+"*")
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
	from := []string{w.From}
	if w.From == "" {
		if from, err = s.fetchAll(ctx, stage, w); err != nil {
			return done, err
		}
		b.Source = baseNames(from)
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
		return done, fmt.Errorf("%s has no %s", strings.Join(from, ", "), LibraryName())
	}
	if done.Report, err = s.Ask(ctx, b.Library); err != nil {
		why := strings.ReplaceAll(err.Error(), b.Library, LibraryName()) // its folder is gone when this is read
		return done, fmt.Errorf("the ONNX Runtime in %s does not work with this Conch: %s", b.Source, instead(why, from[0]))
	}
	b.Version, b.Made, b.Bytes = done.Report.Version, time.Now(), size(dir)
	b.ID = b.Name + "-" + b.Version
	done.Build, done.Before, err = s.settle(ctx, b, dir)
	return done, err
}

// instead adds to why a build does not work what does.
func instead(why, from string) string {
	if strings.HasPrefix(filepath.Base(from), "onnxruntime_openvino-") {
		why += ". `conch runtime install openvino` takes another package, which works"
	}
	return why
}

// baseNames are the names of files without their folders.
func baseNames(files []string) string {
	var names []string
	for _, file := range files {
		names = append(names, filepath.Base(file))
	}
	return strings.Join(names, " and ")
}

// place puts the files of wheels or of a folder into a new folder, and returns the name that the build has by itself.
func place(ctx context.Context, from []string, dir string) (string, error) {
	if info, err := os.Stat(from[0]); err != nil {
		return "", fmt.Errorf("there is no wheel and no folder with one: %w", err)
	} else if info.IsDir() {
		wheels, err := carried(from[0])
		if err != nil {
			return "", err
		}
		if len(wheels) == 0 {
			return "local", copyFolder(ctx, from[0], dir)
		}
		from = wheels
	} else if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is neither a wheel nor a folder", from[0])
	}
	var packages []string
	left := room(mostBytes)
	for _, file := range from {
		name, err := placeWheel(file, dir, &left)
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return "", err
		}
		packages = append(packages, name)
	}
	return nameOf(packages), nil
}

// carried are the wheels of a folder that was carried here, the one with ONNX Runtime itself first; none where the folder has none.
func carried(dir string) ([]string, error) {
	wheels, _ := filepath.Glob(filepath.Join(dir, "onnxruntime*.whl"))
	plugin := slices.IndexFunc(wheels, func(file string) bool { return strings.HasPrefix(filepath.Base(file), "onnxruntime_ep_") })
	switch {
	case len(wheels) < 2:
		return wheels, nil
	case len(wheels) == 2 && plugin >= 0:
		return []string{wheels[1-plugin], wheels[plugin]}, nil
	}
	return nil, fmt.Errorf("%s has %d wheels of ONNX Runtime: name the one to install. They are %s", dir, len(wheels), baseNames(wheels))
}

// placeWheel puts the files of a wheel into a folder, and returns the package's name.
func placeWheel(file, dir string, left *room) (string, error) {
	w, err := openWheel(file, left)
	if err != nil {
		return "", err
	}
	defer w.close()
	if err := w.checkPinned(); err != nil {
		return "", err
	}
	return w.Package, w.unpack(dir)
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

// checkPinned compares the whole wheel with the offer's hash, where it is that very wheel.
func (w *wheel) checkPinned() error {
	for _, offered := range Offers {
		for _, o := range offered.packages() {
			ours, err := o.Wheel()
			if err != nil || o.Package != w.Package || o.Version != w.Version {
				continue
			}
			name := filepath.Base(w.path)
			if (strings.Contains(name, "-"+pythonABI+"-") || strings.Contains(name, "-none-")) && strings.Contains(name, ours.Tags[0]) {
				return checkSum(w.path, ours.SHA256)
			}
		}
	}
	return nil
}

// settle moves a whole build to its place, unless it is there.
func (s *Store) settle(ctx context.Context, b Build, dir string) (Build, bool, error) {
	if !goodID.MatchString(b.ID) {
		return b, false, fmt.Errorf("%q cannot be the name of a folder: name the build, as in `conch runtime install NAME --from …`", b.ID)
	}
	if before, _, works := s.works(ctx, b.ID); works {
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
	if err := os.Rename(dir, to); err != nil {
		if before, _, works := s.works(ctx, b.ID); works { // of another machine, whose turn this one does not see
			return before, true, nil
		}
		if filelock.InUse(filepath.Join(to, usesName)) {
			return b, false, fmt.Errorf("%s is here and does not work, and is not replaced: %w", b.ID, ErrInUse)
		}
		if err := errors.Join(os.RemoveAll(to), os.Rename(dir, to)); err != nil { // what is there is not whole
			return b, false, err
		}
	}
	b.Library = filepath.Join(to, LibraryName())
	return b, false, nil
}

// works returns a build that is installed and can be opened. One that was damaged since is as good as none: a new one takes its place.
func (s *Store) works(ctx context.Context, id string) (Build, Report, bool) {
	b, err := s.read(id)
	if err != nil {
		return Build{}, Report{}, false
	}
	r, err := s.Ask(ctx, b.Library)
	return b, r, err == nil
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
