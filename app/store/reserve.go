package store

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"conch/app/userfile"
)

const (
	// reserveName begins the names of the reserves, which are numbered.
	reserveName = "unsaved-reserve-"
	// mostReserves bounds how many there are: one for each root that is open at a time, or has drafts in one.
	mostReserves = 16
	// usualSlot is half of a reserve. It holds megabytes of configs, compressed.
	usualSlot = 2 << 20
	// reserveAgain is when it is tried again to make a reserve that could not be made.
	reserveAgain = time.Minute
)

// reserves is disk space that is set aside while there is some, for the drafts that are typed when there is none.
//
// A reserve is a file of two slots. Every byte of it was written when it was made, so that writing it again needs no
// space where a file system writes in place: ext4, XFS, tmpfs. One that copies on write, as Btrfs and ZFS do, may refuse that
// on a full disk; then drafts go to the next place. A slot is written while the other one keeps what was there before,
// and has a checksum, so that a write that is cut off costs nothing.
//
// A reserve is locked by the program that uses it, for one root.
type reserves struct {
	dir  string
	slot int64
	now  func() time.Time

	// mu guards the rest.
	mu   sync.Mutex
	mine map[string]*reserve
	// wanted are the roots that are in use.
	wanted map[string]bool
	// tried is when a reserve could not be made last, by root.
	tried map[string]time.Time
}

// reserve is one file.
type reserve struct {
	path   string
	number uint64 // of the newest slot
	lock   *os.File
}

var _ place = (*reserves)(nil)

func newReserves(dir string, slot int64, now func() time.Time) *reserves {
	return &reserves{dir: dir, slot: slot, now: now, mine: map[string]*reserve{}, wanted: map[string]bool{}, tried: map[string]time.Time{}}
}

func (r *reserves) spot() Spot { return Spot{Path: r.dir} }

// read takes the reserve that has drafts of the root, else a free one, for this program.
func (r *reserves) read(root string) (parkedFile, bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wanted[root] = true
	if own := r.mine[root]; own != nil {
		content, _, found := r.newest(own.path)
		return content, found && len(content.Drafts) > 0, nil
	}
	var free *reserve
	for i := 1; i <= mostReserves; i++ {
		next := r.lock(i)
		if next == nil {
			continue
		}
		content, number, _ := r.newest(next.path)
		next.number = number
		switch {
		case len(content.Drafts) > 0 && content.Root == root:
			free.release()
			r.mine[root] = next
			return content, true, nil
		case len(content.Drafts) == 0 && free == nil:
			free = next
		default:
			next.release()
		}
	}
	if free != nil {
		r.mine[root] = free
	}
	return parkedFile{}, false, nil
}

func (r *reserves) write(content parkedFile) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	own := r.mine[content.Root]
	if own == nil {
		return fmt.Errorf("no space is reserved in %s", r.dir)
	}
	return r.put(own, content)
}

func (r *reserves) has(root string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	own := r.mine[root]
	if own == nil {
		return false
	}
	content, _, found := r.newest(own.path)
	return found && content.Root == root && len(content.Drafts) > 0
}

// clear leaves the space reserved. A reserve that somebody deleted has nothing to remove.
func (r *reserves) clear(root string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	own := r.mine[root]
	if own == nil {
		return nil
	}
	if err := r.put(own, parkedFile{}); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (r *reserves) leave(root string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mine[root].release()
	delete(r.mine, root)
	delete(r.tried, root)
	delete(r.wanted, root)
}

// close gives all back.
func (r *reserves) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, own := range r.mine {
		own.release()
	}
	clear(r.mine)
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

// stands says whether a reserve and its lock are still there: people delete files to make space.
func (r *reserves) stands(own *reserve) bool {
	held, err := own.lock.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(own.path + lockSuffix)
	return err == nil && os.SameFile(held, named) && r.isWhole(own.path)
}

// isWhole says whether a file has the form of a reserve.
func (r *reserves) isWhole(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() == 2*r.slot
}

// make needs mu. It makes a file under the first free number.
func (r *reserves) make() (*reserve, error) {
	for i := 1; i <= mostReserves; i++ {
		path := r.path(i)
		if _, err := os.Lstat(path); err == nil {
			continue // another one's, or it has drafts
		}
		lock, err := userfile.TryLock(path + lockSuffix)
		if errors.Is(err, ErrHeld) {
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

// lock needs mu. It takes an existing reserve, unless another program has it.
func (r *reserves) lock(i int) *reserve {
	path := r.path(i)
	if !r.isWhole(path) {
		return nil
	}
	lock, err := userfile.TryLock(path + lockSuffix)
	if err != nil {
		return nil
	}
	return &reserve{path: path, lock: lock}
}

func (r *reserves) path(i int) string { return filepath.Join(r.dir, fmt.Sprint(reserveName, i)) }

func (own *reserve) release() {
	if own != nil {
		_ = own.lock.Close()
	}
}

// fill makes a file with every byte of it on the disk.
func fill(path string, size int64) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // of mode 0600
	if err != nil {
		return err
	}
	err = allocate(f, size) // all or nothing, where the system can
	for part := make([]byte, 1<<20); err == nil && size > 0; size -= int64(len(part)) {
		part = part[:min(size, int64(len(part)))]
		_, err = f.Write(part)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// A slot begins with a head: these words, its number, the length of what follows, and the checksum of all that.
var slotMark = [8]byte{'c', 'o', 'n', 'c', 'h', ' ', 'r', '1'}

const (
	slotNumber = len(slotMark)
	slotLength = slotNumber + 8
	slotSum    = slotLength + 8
	slotHead   = slotSum + sha256.Size
)

// put needs mu. It writes the slot that is not the newest.
func (r *reserves) put(own *reserve, content parkedFile) error {
	slot, err := pack(own.number+1, content)
	if err != nil {
		return err
	}
	if int64(len(slot)) > r.slot {
		return fmt.Errorf("unsaved texts have %d KB compressed, and only %d KB are reserved in %s", len(slot)>>10, r.slot>>10, r.dir)
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
	return nil
}

func pack(number uint64, content parkedFile) ([]byte, error) {
	text, err := encode(content)
	if err != nil {
		return nil, err
	}
	var slot bytes.Buffer
	slot.Write(make([]byte, slotHead))
	zip := gzip.NewWriter(&slot)
	if _, err = zip.Write(text); err == nil {
		err = zip.Close()
	}
	b := slot.Bytes()
	copy(b, slotMark[:])
	binary.LittleEndian.PutUint64(b[slotNumber:], number)
	binary.LittleEndian.PutUint64(b[slotLength:], uint64(len(b)-slotHead))
	sum := checksum(b)
	copy(b[slotSum:], sum[:])
	return b, err
}

// checksum is that of a slot without its checksum.
func checksum(slot []byte) [sha256.Size]byte {
	h := sha256.New()
	h.Write(slot[:slotSum])
	h.Write(slot[slotHead:])
	return [sha256.Size]byte(h.Sum(nil))
}

// newest is the content of the newest slot that is whole; false when none is.
func (r *reserves) newest(path string) (content parkedFile, number uint64, found bool) {
	f, err := os.Open(path)
	if err != nil {
		return parkedFile{}, 0, false
	}
	defer func() { _ = f.Close() }()
	for i := range int64(2) {
		c, n, err := unpack(io.NewSectionReader(f, i*r.slot, r.slot))
		if err == nil && n > number {
			content, number, found = c, n, true
		}
	}
	return content, number, found
}

var errNotWhole = errors.New("the slot is not whole")

func unpack(slot *io.SectionReader) (content parkedFile, number uint64, err error) {
	head := make([]byte, slotHead)
	if _, err := slot.ReadAt(head, 0); err != nil {
		return parkedFile{}, 0, err
	}
	length := binary.LittleEndian.Uint64(head[slotLength:])
	if !bytes.HasPrefix(head, slotMark[:]) || length > uint64(slot.Size())-uint64(slotHead) {
		return parkedFile{}, 0, errNotWhole
	}
	whole := make([]byte, uint64(slotHead)+length)
	if _, err := slot.ReadAt(whole, 0); err != nil {
		return parkedFile{}, 0, err
	}
	if sum := checksum(whole); !bytes.Equal(sum[:], head[slotSum:]) {
		return parkedFile{}, 0, errNotWhole
	}
	zip, err := gzip.NewReader(bytes.NewReader(whole[slotHead:]))
	if err != nil {
		return parkedFile{}, 0, err
	}
	text, err := io.ReadAll(zip)
	if err == nil {
		content, err = decode(text)
	}
	return content, binary.LittleEndian.Uint64(head[slotNumber:]), err
}
