package single

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// folder holds the claims of all running workbenches, in the data folder.
const folder = "running"

// Keeper holds the claims of this process.
type Keeper struct {
	dir string
	me  Holder

	mu     sync.Mutex
	claims map[string]*claim
	door   *door // made with the first claim

	// announced is closed once face says how this workbench is shown.
	announced chan struct{}
	once      sync.Once
	face      face
}

// face is how a workbench is shown.
type face struct {
	at   func() Address
	show func()
}

// claim is one repository that this process has; it may be asked for several times.
type claim struct {
	lock  *os.File
	where string // the file that says how to reach this process
	uses  int
}

// NewKeeper keeps the claims of this process below a data folder.
func NewKeeper(dataDir string, kind Kind) *Keeper {
	return &Keeper{
		dir: filepath.Join(dataDir, folder), me: Holder{Kind: kind, PID: os.Getpid()},
		claims: map[string]*claim{}, announced: make(chan struct{}),
	}
}

// Announce says where this workbench is, if it has an address, and what brings it to the front, if it has a window; either may
// be nil. Whoever asks is answered from then on. Only the first call counts.
func (k *Keeper) Announce(at func() Address, show func()) {
	k.once.Do(func() {
		k.face = face{at: at, show: show}
		close(k.announced)
	})
}

// Claim takes a repository for this process until release is called. It fails with an ElsewhereError when another
// process has it, which is shown then.
func (k *Keeper) Claim(roots []string) (release func(), err error) {
	key := keyOf(roots)
	k.mu.Lock()
	defer k.mu.Unlock()
	c := k.claims[key]
	if c == nil {
		if c, err = k.take(roots, key); err != nil {
			return nil, err
		}
		k.claims[key] = c
	}
	c.uses++
	return sync.OnceFunc(func() { k.release(key) }), nil
}

// take needs mu.
func (k *Keeper) take(roots []string, key string) (*claim, error) {
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder for running workbenches: %w", err)
	}
	if k.door == nil {
		d, err := openDoor(k.dir, k.answer)
		if err != nil {
			return nil, err
		}
		k.door = d
	}
	lock, held, err := lockOrAsk(k.dir, key)
	switch {
	case err != nil:
		return nil, err
	case held != nil:
		return nil, &ElsewhereError{Roots: roots, Holder: *held}
	}
	c := &claim{lock: lock, where: wherePath(k.dir, key)}
	if killed, err := readWhere(c.where); err == nil && killed.Socket != k.door.path {
		_ = os.Remove(killed.Socket) // of a process that was killed
	}
	if err := writeWhere(c.where, k.door.path); err != nil {
		_ = lock.Close()
		return nil, err
	}
	return c, nil
}

func (k *Keeper) release(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	c := k.claims[key]
	if c.uses--; c.uses > 0 {
		return
	}
	delete(k.claims, key)
	_ = os.Remove(c.where)
	_ = c.lock.Close() // the file of the lock stays: removing it would let two processes have it
}

// answer is what others hear, once there is something to show.
func (k *Keeper) answer(gone <-chan struct{}) (Holder, bool) {
	select {
	case <-k.announced:
	case <-gone:
		return Holder{}, false
	}
	if k.face.show != nil {
		k.face.show()
	}
	me := k.me
	if k.face.at != nil {
		me.Address = k.face.at()
	}
	return me, true
}

// Close ends answering. Claims are released by those who took them.
func (k *Keeper) Close() {
	k.mu.Lock()
	d := k.door
	k.mu.Unlock()
	if d != nil {
		d.close()
	}
}

// keyOf names folders that are opened together, in whatever order and by whatever links they were named.
func keyOf(roots []string) string {
	real := make([]string, len(roots))
	for i, root := range roots {
		real[i] = root
		if abs, err := filepath.Abs(root); err == nil {
			real[i] = abs
		}
		if target, err := filepath.EvalSymlinks(real[i]); err == nil {
			real[i] = target
		}
	}
	slices.Sort(real)
	sum := sha256.Sum256([]byte(strings.Join(slices.Compact(real), "\x00")))
	return hex.EncodeToString(sum[:16])
}
