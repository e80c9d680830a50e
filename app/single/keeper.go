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

	"conch/app/userfile"
)

// folder has the claims of all running workbenches, in the data folder.
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

// claim is one folder that this process has. Several repositories may use it.
type claim struct {
	lock  *os.File
	where string // the file that says how to reach this process
	uses  int
}

// NewKeeper returns a keeper of this process's claims below a data folder.
func NewKeeper(dataDir string, kind Kind) *Keeper {
	return &Keeper{
		dir: filepath.Join(dataDir, folder), me: Holder{Kind: kind, PID: os.Getpid()},
		claims: map[string]*claim{}, announced: make(chan struct{}),
	}
}

// Announce sets where this workbench is, if it has an address, and what brings it to the front, if it
// has a window. Either may be nil. From then on other processes get answers. Only the first call
// counts.
func (k *Keeper) Announce(at func() Address, show func()) {
	k.once.Do(func() {
		k.face = face{at: at, show: show}
		close(k.announced)
	})
}

// Claim takes the folders of a repository for this process until release is called. It takes each by
// itself, since two repositories with a common folder share its unsaved texts. It fails with an
// ElsewhereError when another process has one of them, and asks that process to show itself.
func (k *Keeper) Claim(roots []string) (release func(), err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	all := identities(roots)
	for i, root := range all {
		if err := k.claim(roots, all, root); err != nil {
			k.release(all[:i])
			return nil, err
		}
	}
	return sync.OnceFunc(func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.release(all)
	}), nil
}

// claim needs mu.
func (k *Keeper) claim(roots []string, all []identity, root identity) error {
	c := k.claims[root.key]
	if c == nil {
		var err error
		if c, err = k.take(roots, root); err != nil {
			return err
		}
	}
	here := where{Socket: k.door.path, PID: k.me.PID}
	for _, one := range all {
		here.Roots = append(here.Roots, one.real)
	}
	if err := writeWhere(c.where, here); err != nil {
		if c.uses == 0 {
			_ = c.lock.Close()
		}
		return err
	}
	c.uses++
	k.claims[root.key] = c
	return nil
}

// take needs mu.
func (k *Keeper) take(roots []string, root identity) (*claim, error) {
	if err := userfile.MakeDir(k.dir); err != nil {
		return nil, fmt.Errorf("make the folder for running workbenches: %w", err)
	}
	if k.door == nil {
		d, err := openDoor(k.dir, k.answer)
		if err != nil {
			return nil, err
		}
		k.door = d
	}
	lock, held, err := lockOrAsk(k.dir, root.key)
	switch {
	case err != nil:
		return nil, err
	case held != nil:
		return nil, elsewhere(roots, *held, root)
	}
	c := &claim{lock: lock, where: wherePath(k.dir, root.key)}
	if killed, err := readWhere(c.where); err == nil && killed.Socket != k.door.path {
		_ = os.Remove(killed.Socket) // of a killed process
	}
	return c, nil
}

// release needs mu.
func (k *Keeper) release(all []identity) {
	for _, root := range all {
		c := k.claims[root.key]
		if c.uses--; c.uses > 0 {
			continue
		}
		delete(k.claims, root.key)
		_ = os.Remove(c.where)
		_ = c.lock.Close()
	}
}

// answer returns what other processes get, once there is something to show.
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

// Close stops answering. Claims are released by their owners.
func (k *Keeper) Close() {
	k.mu.Lock()
	d := k.door
	k.mu.Unlock()
	if d != nil {
		d.close()
	}
}

// identity is one folder: its path as given, its real path, and the name of its claim.
type identity struct{ named, real, key string }

// identities returns the folders that are opened together, each once and in one order, whatever links
// their paths have.
func identities(roots []string) []identity {
	var all []identity
	for _, root := range roots {
		id := identity{named: root, real: root}
		if abs, err := filepath.Abs(root); err == nil {
			id.real = abs
		}
		if target, err := filepath.EvalSymlinks(id.real); err == nil {
			id.real = target
		}
		sum := sha256.Sum256([]byte(id.real))
		id.key = hex.EncodeToString(sum[:16])
		all = append(all, id)
	}
	slices.SortStableFunc(all, func(a, b identity) int { return strings.Compare(a.real, b.real) })
	return slices.CompactFunc(all, func(a, b identity) bool { return a.real == b.real })
}
