package write

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"conch/configedit/folder"
)

// Version identifies a state of a file. The zero Version stands for "there
// is no such file".
type Version struct {
	// Hash is the SHA-256 of the content. It alone decides whether two
	// versions are the same: a file that was only touched is no conflict.
	Hash string
	// ModTime is for showing.
	ModTime time.Time
}

// Exists reports whether there is a file at all.
func (v Version) Exists() bool { return v.Hash != "" }

// Same reports whether two versions have the same content.
func (v Version) Same(other Version) bool { return v.Hash == other.Hash }

// VersionOf returns the Version of a content that was read elsewhere.
func VersionOf(content []byte, modTime time.Time) Version {
	sum := sha256.Sum256(content)
	return Version{Hash: hex.EncodeToString(sum[:]), ModTime: modTime}
}

func readAll(path string) ([]byte, error) {
	f, err := folder.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(f)
}

// Read reads a file together with its Version. A file that does not exist is
// no error; its Version is zero. A file that is not a plain one is refused: opening a
// pipe would wait for ever, and a device may have no end.
func Read(path string) ([]byte, Version, error) {
	info, err := os.Stat(path)
	if err == nil {
		if special := folder.Special(info.Mode()); special != nil {
			return nil, Version{}, &Error{Do: "read", Path: path, Why: special.Error(), Err: fs.ErrInvalid}
		}
	}
	content, err := readAll(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Version{}, nil
	}
	if err != nil {
		return nil, Version{}, explain("read", path, err)
	}
	if info, err = os.Stat(path); err != nil {
		return nil, Version{}, explain("read", path, err)
	}
	return content, VersionOf(content, info.ModTime()), nil
}
