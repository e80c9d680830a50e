package write

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"conch/repo/files"
)

// AddTo puts files, which are in the folder from of the stage, into a folder of a model. They appear whole and in the order
// given; a folder that is missing, and those on its way, appear with all of them. Nothing that exists is replaced. After an
// error nothing of them is there, and the stage is as it was; else the stage has ended.
func (s *Stage) AddTo(ctx context.Context, model, dir, from string, names []string) error {
	if err := s.addTo(ctx, model, dir, from, names); err != nil {
		if _, told := errors.AsType[*Error](err); told {
			return err
		}
		return explain("create", dir, err)
	}
	// The files are there. What cannot be removed here is cleared with the next upload.
	_ = s.Discard()
	return nil
}

func (s *Stage) addTo(ctx context.Context, model, dir, from string, names []string) error {
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return explain("create", filepath.Join(dir, name), fs.ErrExist)
		}
		if _, err := os.Lstat(filepath.Join(s.dir, from, name)); err != nil {
			return &Error{Do: "read", Path: name, Why: "what was sent of it is not there any more; choose it again", Err: err}
		}
	}
	there, below, err := existing(dir)
	if err != nil {
		return err
	}
	last := func(near *Stage) error {
		if err := near.sync(); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		defer files.SyncFolder(there)
		if below != "" {
			return near.appear(there, below, from)
		}
		return placeAll(filepath.Join(near.dir, from), dir, names)
	}
	if filepath.Dir(s.dir) == model || !givesGroup(there) && files.SameDisk(there, s.dir) {
		// Two mounts of one disk look like one, and no rename leads from one to the other.
		if err := last(s); !errors.Is(err, syscall.EXDEV) {
			return err
		}
		model = there
	}
	near, err := s.copyNear(ctx, nearest(model, there), from, names)
	if err != nil {
		return err
	}
	defer func() { _ = near.Discard() }()
	return last(near)
}

// existing divides a path into the part that is there and the folders that are missing; "" for none.
func existing(dir string) (there, missing string, err error) {
	for there = dir; ; there = filepath.Dir(there) {
		info, err := os.Stat(there)
		if errors.Is(err, fs.ErrNotExist) && filepath.Dir(there) != there {
			missing = filepath.Join(filepath.Base(there), missing)
			continue
		}
		if err == nil && !info.IsDir() {
			err = syscall.ENOTDIR
		}
		return there, missing, err
	}
}

// nearest is where a copy waits for its last step: the model's folder, which is cleared after a crash, unless a rename from
// there does not lead to the place, or gives it another group.
func nearest(model, place string) string {
	if files.SameDisk(model, place) && givesGroup(model) == givesGroup(place) {
		return model
	}
	return place
}

// copyNear copies files of the stage into a new one in another folder.
func (s *Stage) copyNear(ctx context.Context, place, from string, names []string) (*Stage, error) {
	near, err := stageAt(place, place, s.hold)
	if err != nil {
		return nil, err
	}
	err = near.files.MkdirAll(from, 0o777)
	for _, name := range names {
		if err == nil {
			err = files.Copy(ctx, filepath.Join(s.dir, from, name), filepath.Join(near.dir, from, name), 0o666)
		}
	}
	if err != nil {
		return nil, errors.Join(err, near.Discard())
	}
	return near, nil
}

// appear gives a folder of the stage its place in a folder that is there, with the folders on its way, by one rename.
func (s *Stage) appear(there, below, from string) error {
	first, rest := firstFolder(below)
	source := filepath.Join(s.dir, from)
	if rest == "" {
		return os.Rename(source, filepath.Join(there, first))
	}
	way := filepath.Join(s.dir, tempName("way"))
	defer func() { _ = os.RemoveAll(way) }()
	inside := filepath.Join(way, rest)
	if err := os.MkdirAll(filepath.Dir(inside), 0o777); err != nil {
		return err
	}
	if err := os.Rename(source, inside); err != nil {
		return err
	}
	if err := os.Rename(way, filepath.Join(there, first)); err != nil {
		return errors.Join(err, os.Rename(inside, source))
	}
	return nil
}

// firstFolder divides a path after its first folder.
func firstFolder(rel string) (first, rest string) {
	for i := range len(rel) {
		if os.IsPathSeparator(rel[i]) {
			return rel[:i], rel[i+1:]
		}
	}
	return rel, ""
}

// placeAll gives files another name each, in a folder that is there: all or none of them.
func placeAll(from, to string, names []string) error {
	var undo []func() error
	for _, name := range names {
		back, err := place(filepath.Join(from, name), filepath.Join(to, name))
		if err != nil {
			for _, back := range slices.Backward(undo) {
				err = errors.Join(err, back())
			}
			return err
		}
		undo = append(undo, back)
	}
	return nil
}

// place gives a file another name, unless somebody has taken it, and returns what takes that back.
func place(from, to string) (back func() error, err error) {
	if err := files.Rename(from, to); err != nil {
		if errors.Is(err, fs.ErrExist) {
			err = explain("create", to, fs.ErrExist)
		}
		return nil, err
	}
	return func() error { return files.Rename(to, from) }, nil
}
