// Package controltest is a model repository for tests of the engine: a folder that is read when the test says
// so, and is not watched.
package controltest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"conch/configedit/folder"
	"conch/engine/backend"
	"conch/engine/control"
)

// Dir is a repository on disk.
type Dir struct {
	Roots []string

	mu      sync.Mutex // guards what follows
	seq     uint64
	current *control.Listing
	readers []chan *control.Listing
	outside []string // of Watch
}

var _ control.ModelSource = (*Dir)(nil)

// New creates an empty repository with n roots. The end of the test removes it.
func New(t testing.TB, n int) *Dir {
	t.Helper()
	d := &Dir{}
	for range n {
		d.Roots = append(d.Roots, t.TempDir())
	}
	d.Look()
	return d
}

// Write writes a file of the first root, and creates its folders. A path that ends in a slash creates a folder.
func (d *Dir) Write(t testing.TB, path, text string) {
	t.Helper()
	full := filepath.Join(d.Roots[0], path)
	folder := filepath.Dir(full)
	if strings.HasSuffix(path, "/") {
		folder = full
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if folder == full {
		return
	}
	if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Remove removes a file or folder of the first root.
func (d *Dir) Remove(t testing.TB, path string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(d.Roots[0], path)); err != nil {
		t.Fatal(err)
	}
}

// Look reads the folders and sends the listing to the subscribers.
func (d *Dir) Look() *control.Listing {
	listing := &control.Listing{}
	for _, root := range d.Roots {
		entries, err := os.ReadDir(root)
		listing.Roots = append(listing.Roots, control.FoundRoot{Path: root, Identity: identity(root), Trouble: err})
		for _, e := range entries {
			if e.IsDir() {
				listing.Models = append(listing.Models, found(root, e.Name()))
			}
		}
	}
	slices.SortStableFunc(listing.Models, func(a, b control.Found) int { return strings.Compare(a.Name, b.Name) })
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seq++
	listing.Seq = d.seq
	listing.Outside = lookAt(d.outside)
	d.current = listing
	for _, c := range d.readers {
		select {
		case <-c:
		default:
		}
		c <- listing
	}
	return listing
}

// Current implements control.ModelSource.
func (d *Dir) Current() *control.Listing {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.current
}

// Refresh implements control.ModelSource.
func (d *Dir) Refresh(context.Context, ...string) (*control.Listing, error) { return d.Look(), nil }

// Subscribe implements control.ModelSource.
func (d *Dir) Subscribe() (<-chan *control.Listing, func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := make(chan *control.Listing, 1)
	d.readers = append(d.readers, c)
	return c, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.readers = slices.DeleteFunc(d.readers, func(other chan *control.Listing) bool { return other == c })
	}
}

// Watch implements control.ModelSource. The next Look looks at the files.
func (d *Dir) Watch(paths []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.outside = paths
}

// Watched returns the files of Watch.
func (d *Dir) Watched() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.outside
}

func lookAt(paths []string) map[string]backend.FileLook {
	looks := map[string]backend.FileLook{}
	for _, path := range paths {
		looks[path] = LookAt(path)
	}
	return looks
}

// LookAt returns how a file looks.
func LookAt(path string) backend.FileLook {
	info, err := os.Stat(path)
	if err != nil {
		return backend.FileLook{}
	}
	return backend.FileLook{Size: info.Size(), Modified: info.ModTime().UnixNano()}
}

// identity returns the inode number of a folder.
func identity(root string) string {
	info, err := os.Stat(root)
	if err != nil {
		return ""
	}
	number := reflect.Indirect(reflect.ValueOf(info.Sys())).FieldByName("Ino") // if the system has one
	if !number.IsValid() {
		return ""
	}
	return fmt.Sprint(number)
}

func found(root, name string) control.Found {
	f := control.Found{Name: name, Root: root, Dir: filepath.Join(root, name)}
	entries, _ := os.ReadDir(f.Dir)
	for _, e := range entries {
		path := filepath.Join(f.Dir, e.Name())
		number, kind := folder.ParseVersion(e.Name())
		switch {
		case e.Name() == folder.ConfigName:
			f.ConfigPath = path
			f.ConfigText, f.Trouble = os.ReadFile(path)
			f.ConfigPrint = sum(path)
		case e.IsDir() && kind == folder.PlainVersion:
			f.Versions = append(f.Versions, control.FoundVersion{Number: number, Dir: path, Print: sum(path)})
		default:
			f.FilesPrint += e.Name() + sum(path)
		}
	}
	slices.SortFunc(f.Versions, func(a, b control.FoundVersion) int { return cmp.Compare(a.Number, b.Number) })
	return f
}

// sum returns a hash of names and contents.
func sum(path string) string {
	hash := sha256.New()
	_ = filepath.WalkDir(path, func(p string, e fs.DirEntry, err error) error {
		fmt.Fprintln(hash, p)
		if err == nil && e.Type().IsRegular() {
			text, _ := os.ReadFile(p)
			fmt.Fprintf(hash, "%q", text)
		}
		return nil
	})
	return fmt.Sprintf("%x", hash.Sum(nil))
}
