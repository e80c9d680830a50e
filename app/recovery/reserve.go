package recovery

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"conch/app/overlay"
	"conch/app/userfile"
)

const (
	// reserveName begins the names of the reserves, which are numbered.
	reserveName = "unsaved-reserve-"
	// mostReserves limits the number of reserves: each root that is open, or has drafts in a reserve,
	// needs one.
	mostReserves = 16
	// usualSlot is the size of half a reserve. Compressed, it holds megabytes of configs.
	usualSlot = 2 << 20
	// lockSuffix makes the name of a reserve's lock from that of the reserve.
	lockSuffix = ".lock"
	// reserveAgain is the wait after a failed attempt to make a reserve.
	reserveAgain = time.Minute
)

// reserves is disk space that is reserved while there is some, for the drafts that are typed when the
// disk is full.
//
// A reserve is a file of two slots. All its bytes are written when it is made. So writing it again
// needs no space on a file system that writes in place: ext4, XFS, tmpfs. A file system that copies on
// write, such as Btrfs or ZFS, may refuse that on a full disk; then drafts go to the next place. While
// one slot is written, the other keeps the content before. Each slot has a checksum, so that a write
// that is cut off loses nothing.
//
// A reserve is locked by the program that uses it, for one root.
type reserves struct {
	dir  string
	slot int64
	now  func() time.Time

	// mu guards the rest.
	mu   sync.Mutex
	mine map[string]*reserve
	// older are the other reserves of a root, with older drafts.
	older map[string][]*reserve
	// wanted are the roots that are in use.
	wanted map[string]bool
	// tried is by root when a reserve could not be made last.
	tried map[string]time.Time
}

// reserve is one file.
type reserve struct {
	path   string
	number uint64 // that of the newest slot
	filled bool   // the newest slot has drafts
	lock   *os.File
}

var _ place = (*reserves)(nil)

func newReserves(dir string, slot int64, now func() time.Time) *reserves {
	return &reserves{dir: dir, slot: slot, now: now, mine: map[string]*reserve{}, older: map[string][]*reserve{}, wanted: map[string]bool{}, tried: map[string]time.Time{}}
}

func (r *reserves) spot() overlay.Spot { return overlay.Spot{Path: r.dir} }

// read takes for this program the reserve with the newest drafts of the root, or else a free one. A
// reserve that cannot be read stays as it is: it may have drafts.
func (r *reserves) read(root string) (record, bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wanted[root] = true
	if r.mine[root] != nil {
		own := r.mine[root]
		content, _, found, err := r.newest(own.path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return record{}, false, fmt.Errorf("the unsaved texts in %s cannot be read: %w", own.path, err)
		}
		return content, found && len(content.Drafts) > 0, nil
	}
	var newest record
	var free *reserve
	var failed error
	for i := 1; i <= mostReserves; i++ {
		next, content, err := r.take(i)
		switch {
		case err != nil:
			failed = errors.Join(failed, err)
		case next == nil:
		case len(content.Drafts) == 0 && free == nil:
			free = next
		case len(content.Drafts) == 0 || content.Root != root:
			next.release()
		case content.Serial >= newest.Serial:
			r.older[root] = append(r.older[root], r.mine[root])
			newest, r.mine[root] = content, next
		default:
			r.older[root] = append(r.older[root], next)
		}
	}
	r.older[root] = slices.DeleteFunc(r.older[root], func(other *reserve) bool { return other == nil })
	if r.mine[root] != nil {
		free.release()
	} else if free != nil {
		r.mine[root] = free
	}
	return newest, len(newest.Drafts) > 0, failed
}

// take needs mu. It takes an existing reserve and reads it. It returns nil where there is none, or
// where another program has it.
func (r *reserves) take(i int) (*reserve, record, error) {
	path := r.path(i)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, record{}, nil
	}
	next, err := r.lock(path)
	if errors.Is(err, userfile.ErrLocked) {
		return nil, record{}, nil
	}
	var content record
	if err == nil {
		if content, next.number, _, err = r.newest(path); err == nil {
			next.filled = len(content.Drafts) > 0
			return next, content, nil
		}
		next.release()
	}
	return nil, record{}, fmt.Errorf("%w: %s cannot be read: %w", errStays, path, err)
}

func (r *reserves) write(content record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	own := r.mine[content.Root]
	if own == nil {
		return fmt.Errorf("no space is reserved in %s", r.dir)
	}
	if err := r.put(own, content); err != nil {
		return err
	}
	_ = r.clearOlder(content.Root) // what cannot be removed does not count
	return nil
}

func (r *reserves) has(root string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	own := r.mine[root]
	if own == nil {
		return false
	}
	return own.filled && r.stands(own)
}

// clear removes the drafts and keeps the space reserved.
func (r *reserves) clear(root string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.clearOlder(root); err != nil {
		return err
	}
	return r.empty(r.mine[root])
}

// clearOlder needs mu. It empties and releases the reserves with older drafts.
func (r *reserves) clearOlder(root string) error {
	for len(r.older[root]) > 0 {
		first := r.older[root][0]
		if err := r.empty(first); err != nil {
			return err
		}
		first.release()
		r.older[root] = r.older[root][1:]
	}
	return nil
}

// empty needs mu. A reserve that somebody deleted needs no emptying.
func (r *reserves) empty(own *reserve) error {
	if own == nil {
		return nil
	}
	if err := r.put(own, record{}); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (r *reserves) release(root string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mine[root].release()
	for _, other := range r.older[root] {
		other.release()
	}
	delete(r.mine, root)
	delete(r.older, root)
	delete(r.tried, root)
	delete(r.wanted, root)
}

// close releases all reserves.
func (r *reserves) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, own := range r.mine {
		own.release()
	}
	for _, list := range r.older {
		for _, own := range list {
			own.release()
		}
	}
	clear(r.mine)
	clear(r.older)
}

// setAside makes a reserve for each root in use that has none. It writes some megabytes.
func (r *reserves) setAside() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var failed error
	for root := range r.wanted {
		if own := r.mine[root]; own != nil && !r.stands(own) {
			own.release()
			delete(r.mine, root)
		}
		if last, tried := r.tried[root]; r.mine[root] != nil || tried && r.now().Sub(last) < reserveAgain {
			continue
		}
		own, err := r.make()
		if err != nil {
			r.tried[root] = r.now()
			failed = errors.Join(failed, err)
			continue
		}
		r.mine[root] = own
	}
	return failed
}

// stands reports whether a reserve and its lock still exist: people delete files to make space.
func (r *reserves) stands(own *reserve) bool {
	lock, err := own.lock.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(own.path + lockSuffix)
	return err == nil && os.SameFile(lock, named) && r.isWhole(own.path)
}

// isWhole reports whether a file has the form of a reserve.
func (r *reserves) isWhole(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() == 2*r.slot
}

// make needs mu. It makes a reserve with the first free number.
func (r *reserves) make() (*reserve, error) {
	for i := 1; i <= mostReserves; i++ {
		path := r.path(i)
		if _, err := os.Lstat(path); err == nil {
			continue // another program uses it, or it has drafts
		}
		lock, err := userfile.TryLock(path + lockSuffix)
		if errors.Is(err, userfile.ErrLocked) {
			continue
		}
		if err == nil {
			err = fill(path, 2*r.slot)
			if err == nil {
				return &reserve{path: path, lock: lock}, nil
			}
			_ = lock.Close()
		}
		return nil, fmt.Errorf("reserve space for unsaved texts: %w", err)
	}
	return nil, fmt.Errorf("reserve space for unsaved texts: %d reserves in %s are in use", mostReserves, r.dir)
}

// lock needs mu. It takes an existing reserve. It fails with userfile.ErrLocked where another program
// has it.
func (r *reserves) lock(path string) (*reserve, error) {
	if !r.isWhole(path) {
		return nil, errOtherForm
	}
	lock, err := userfile.TryLock(path + lockSuffix)
	if err != nil {
		return nil, err
	}
	return &reserve{path: path, lock: lock}, nil
}

func (r *reserves) path(i int) string { return filepath.Join(r.dir, fmt.Sprint(reserveName, i)) }

func (own *reserve) release() {
	if own != nil {
		_ = own.lock.Close()
	}
}

// fill makes a file and writes all its bytes to the disk.
func fill(path string, size int64) error {
	return replace(path, func(f *os.File) error {
		err := allocate(f, size) // all or nothing, where the system supports it
		for part := make([]byte, 1<<20); err == nil && size > 0; size -= int64(len(part)) {
			part = part[:min(size, int64(len(part)))]
			_, err = f.Write(part)
		}
		return err
	})
}

// put needs mu. It writes the slot that is not the newest.
func (r *reserves) put(own *reserve, content record) error {
	slot, err := pack(own.number+1, content)
	if err != nil {
		return err
	}
	if int64(len(slot)) > r.slot {
		return fmt.Errorf("unsaved texts have %d KiB compressed, and only %d KiB are reserved in %s", len(slot)>>10, r.slot>>10, r.dir)
	}
	f, err := os.OpenFile(own.path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("write unsaved texts into reserved space: %w", err)
	}
	_, err = f.WriteAt(slot, int64((own.number+1)%2)*r.slot)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write unsaved texts into reserved space: %w", err)
	}
	own.number++
	own.filled = len(content.Drafts) > 0
	return nil
}

// newest returns the content of the newest whole slot; false where no slot is whole yet. It fails
// where a slot has a form that this program cannot read.
func (r *reserves) newest(path string) (content record, number uint64, found bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return record{}, 0, false, err
	}
	defer func() { _ = f.Close() }()
	torn := 0
	for i := range int64(2) {
		c, n, err := unpack(io.NewSectionReader(f, i*r.slot, r.slot))
		switch {
		case errors.Is(err, errNotWhole):
			torn++ // as after a write that was cut off
		case err != nil && !errors.Is(err, errUnwritten):
			return record{}, 0, false, err
		case err == nil && n > number:
			content, number, found = c, n, true
		}
	}
	if torn == 2 { // a write that is cut off damages one slot only
		return record{}, 0, false, errNotWhole
	}
	return content, number, found, nil
}
