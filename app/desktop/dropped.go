package desktop

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// droppedPrefix is where the page reads dropped files.
const droppedPrefix = "/dropped/"

const (
	// maxDropped limits the files of one drop, with those in folders.
	maxDropped = 256
	// maxDroppedBytes limits them together: the page holds them in memory.
	maxDroppedBytes = 512 << 20
	// dropWait is how long the page waits for the names of the files, which come on a way of their own.
	dropWait = time.Second
)

// DroppedFile is a file of another program that a person dropped on the window, or one in a folder that was dropped.
type DroppedFile struct {
	// Path is its name; "folder/1/model.onnx" in a folder.
	Path string `json:"path"`
	// Address is where the page reads it; "" for a file or folder that does not come this way.
	Address string `json:"address"`

	place string // on this machine
}

// dropped holds the files of the newest drop. WebKitGTK keeps them from the page, so the page reads them from here. It
// can read no other file: it knows them by their numbers.
type dropped struct {
	mu    sync.Mutex
	drop  int // counts the drops, so that an address of an earlier one ends
	files []DroppedFile
	fresh chan []DroppedFile // the drop that the page has not asked for yet
}

func newDropped() *dropped { return &dropped{fresh: make(chan []DroppedFile, 1)} }

// take notes a drop, in place of the one before.
func (d *dropped) take(places []string) {
	var files []DroppedFile
	left := int64(maxDroppedBytes)
	for _, place := range places {
		found, size := filesAt(place, maxDropped-len(files), left)
		files, left = append(files, found...), left-size
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.drop++
	for i := range files {
		if files[i].place != "" {
			files[i].Address = fmt.Sprintf("%s%d/%d", droppedPrefix, d.drop, i)
		}
	}
	d.files = files
	select {
	case <-d.fresh: // the page did not ask for that one
	default:
	}
	d.fresh <- files
}

// filesAt returns a file, or the files in a folder, and their size; a file without a place when there are more than most
// or they are larger than left. Links in a folder are left out: they may lead anywhere.
func filesAt(place string, most int, left int64) (files []DroppedFile, size int64) {
	root := filepath.Base(place)
	place, err := filepath.EvalSymlinks(place)
	if err != nil {
		return []DroppedFile{{Path: root}}, 0
	}
	err = filepath.WalkDir(place, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if size += info.Size(); size > left || len(files) == most {
			return errTooMuch
		}
		files = append(files, DroppedFile{Path: root + filepath.ToSlash(strings.TrimPrefix(path, place)), place: path})
		return nil
	})
	if err != nil || len(files) == 0 {
		return []DroppedFile{{Path: root}}, 0
	}
	return files, size
}

var errTooMuch = errors.New("too much was dropped")

// newest returns the files of a drop that was not asked for yet; none after a while.
func (d *dropped) newest() []DroppedFile {
	select {
	case list := <-d.fresh:
		return list
	case <-time.After(dropWait):
		return nil
	}
}

// ServeHTTP sends a file of the newest drop.
func (d *dropped) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	place, ok := d.find(strings.TrimPrefix(r.URL.Path, droppedPrefix))
	if !ok {
		http.NotFound(w, r)
		return
	}
	file, err := os.Open(place)
	if err != nil {
		http.Error(w, fmt.Sprintf("read the dropped file: %v", err), http.StatusForbidden)
		return
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxDroppedBytes {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	http.ServeContent(w, r, "", time.Time{}, file)
}

func (d *dropped) find(number string) (place string, ok bool) {
	drop, index, _ := strings.Cut(number, "/")
	i, err := strconv.Atoi(index)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil || drop != strconv.Itoa(d.drop) || i < 0 || i >= len(d.files) || d.files[i].place == "" {
		return "", false
	}
	return d.files[i].place, true
}
