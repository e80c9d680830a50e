package python

import (
	"archive/tar"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"conch/configedit/reach"
	"conch/configedit/rule"
	"conch/engine/backend"
	"conch/engine/filelock"
	"conch/engine/infer"
)

// modelDirectory stands for the model's folder in the parameter that names an environment.
const modelDirectory = "$$TRITON_MODEL_DIRECTORY"

// packedEnvironments are the packed environments that models name, as they are unpacked.
type packedEnvironments struct {
	below string // the folder for them; "" for the temporary folder
}

const (
	packedPrefix = "environment-" // begins the name of the folder of one; its digest follows
	unpackedName = ".new"         // ends that of a folder into which one is unpacked
	packedLock   = ".lock"        // ends that of the file of the turn in which this is done
)

// named returns the folder of the environment that a config names; "" when it names none.
func (e *packedEnvironments) named(ctx context.Context, spec backend.Spec) (string, error) {
	value := spec.Config.GetParameters()[reach.Environment].GetStringValue()
	if value == "" {
		return "", nil
	}
	where := strings.ReplaceAll(value, modelDirectory, spec.ModelDir)
	info, err := os.Stat(where)
	switch {
	case err != nil:
		return "", infer.Refused(rule.L14, where)
	case info.IsDir():
		return where, nil
	}
	dir, err := e.unpack(ctx, where, func() { spec.Tell("waiting for another load that unpacks an environment") })
	switch {
	case brokenArchive(err):
		return "", infer.Errorf(infer.Internal, "model '%s': its environment %s is damaged or no .tar.gz file (%v). Pack it again, or copy it again", spec.Name, where, err)
	case err != nil:
		return "", infer.Errorf(infer.Internal, "model '%s': unpack its environment %s: %v", spec.Name, where, err)
	}
	return dir, nil
}

// brokenArchive reports whether unpacking failed at what the archive holds, and not at the disk.
func brokenArchive(err error) bool {
	corrupt := new(flate.CorruptInputError)
	return errors.As(err, corrupt) || slices.ContainsFunc([]error{io.EOF, io.ErrUnexpectedEOF, gzip.ErrHeader, gzip.ErrChecksum, tar.ErrHeader}, func(one error) bool {
		return errors.Is(err, one)
	})
}

// unpack unpacks an archive into a folder that is named by its content, unless that is there. One process does it at a time: others
// wait. The folder appears whole, by a rename, also when the machine stops meanwhile.
func (e *packedEnvironments) unpack(ctx context.Context, archive string, waits func()) (string, error) {
	f, err := os.Open(archive)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, untilEnd(ctx, f)); err != nil {
		return "", err
	}
	below := orTemporary(e.below)
	dir := filepath.Join(below, packedPrefix+hex.EncodeToString(sum.Sum(nil))[:32])
	if isThere(dir) {
		return dir, nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	if err := os.MkdirAll(below, 0o700); err != nil {
		return "", err
	}
	turn, err := filelock.Take(ctx, dir+packedLock, waits)
	if err != nil {
		return "", err
	}
	defer turn.End()
	if isThere(dir) { // by who had the turn
		return dir, nil
	}
	sweepUnpacked(turn, dir)
	temp, err := turn.Folder(below, filepath.Base(dir)+"-*"+unpackedName)
	if err != nil {
		return "", err
	}
	return dir, unpackInto(temp, dir, untilEnd(ctx, f))
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// unpackInto makes the folder of an archive. Nobody else uses temp meanwhile.
func unpackInto(temp, dir string, archive io.Reader) error {
	defer func() { _ = os.RemoveAll(temp) }()
	if err := extract(archive, temp); err != nil {
		return err
	}
	if err := syncBelow(temp); err != nil {
		return err
	}
	return putInPlace(temp, dir)
}

// putInPlace gives what was unpacked its name. Where locks keep no other process out, one may have unpacked the same meanwhile: then
// that stays.
func putInPlace(temp, dir string) error {
	if err := os.Rename(temp, dir); err != nil && !isThere(dir) {
		return err
	}
	return nil
}

// sweepUnpacked removes what killed processes left of the environment whose turn it is, and old rests of others.
func sweepUnpacked(turn *filelock.Turn, dir string) {
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), packedPrefix+"*"+unpackedName)) // the pattern is well formed
	for _, temp := range left {
		if strings.HasPrefix(temp, dir) && turn.Left(temp) || filelock.LeftBehind(temp) {
			_ = os.RemoveAll(temp)
		}
	}
}

// extract unpacks a .tar.gz. What would lie outside of the folder is refused.
func extract(from io.Reader, dir string) error {
	plain, err := gzip.NewReader(from)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for in := tar.NewReader(plain); ; {
		entry, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = extractOne(root, entry, in)
		}
		if err != nil {
			return err
		}
	}
}

func extractOne(root *os.Root, entry *tar.Header, content io.Reader) error {
	name := path.Clean(entry.Name)
	if name == "." {
		return nil
	}
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	switch entry.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, 0o700)
	case tar.TypeSymlink:
		return root.Symlink(entry.Linkname, name)
	case tar.TypeLink:
		return root.Link(path.Clean(entry.Linkname), name)
	case tar.TypeReg:
		f, err := root.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_EXCL, fs.FileMode(entry.Mode)&0o700|0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, content)
		return errors.Join(err, f.Close())
	}
	return nil // devices and their like are no part of an environment
}

// untilEnd reads until ctx ends.
func untilEnd(ctx context.Context, from io.Reader) io.Reader { return endingReader{ctx, from} }

type endingReader struct {
	ctx  context.Context
	from io.Reader
}

func (r endingReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.from.Read(p)
}
