package store

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

// Parked is a draft outside the database: while that cannot be used, or has another text of the same file.
type Parked struct {
	Draft
	// Over is the version of the draft in the database that this one goes on from; 0 for none.
	Over uint64
}

// lot is where drafts are parked: in the first of its places that takes them.
type lot struct {
	dir    string
	places []place
	now    func() time.Time

	// mu is held while parked drafts are read or written, and guards the rest.
	mu     sync.Mutex
	serial uint64
	// unread says by root why its parked drafts cannot be read.
	unread map[string]error
	// holds lists by root the places that have something of it, by serial.
	holds map[string]map[place]uint64
}

func newLot(dir string, now func() time.Time, places ...place) *lot {
	return &lot{dir: dir, places: places, now: now, unread: map[string]error{}, holds: map[string]map[place]uint64{}}
}

// ParkDir is the folder beside whose database drafts are parked, which should have space.
func (s *Store) ParkDir() string { return s.lot.dir }

// Park replaces the parked drafts of a root, and says where they are. They are whole at any time: what was parked before stays
// until they are written. The usual place is a file beside the database. Where that cannot be written it is the
// space that was reserved, and then a folder of this user elsewhere.
func (s *Store) Park(root string, list []Parked) (Spot, error) {
	s.lot.mu.Lock()
	defer s.lot.mu.Unlock()
	if why := s.lot.unread[root]; why != nil {
		return Spot{}, why
	}
	if len(list) == 0 {
		return Spot{}, s.lot.clear(root)
	}
	return s.lot.write(toParkedFile(root, list))
}

// Parked gives the drafts of a root that Park wrote, in whichever run, and says where they are. A file that cannot be
// understood is moved aside; one that cannot be read stays, and Park refuses to write over it.
func (s *Store) Parked(root string) ([]Parked, Spot, error) {
	s.lot.mu.Lock()
	defer s.lot.mu.Unlock()
	content, spot, err := s.lot.read(root)
	return fromParkedFile(content), spot, err
}

// Holds says whether what Park wrote last of a root, or Parked read, is still there: a folder elsewhere goes away when the user
// logs out.
func (s *Store) Holds(root string) bool {
	s.lot.mu.Lock()
	defer s.lot.mu.Unlock()
	list := s.lot.holding(root)
	return len(list) > 0 && list[len(list)-1].has(root)
}

// Leave ends the use of what is parked of a root, which another program may take up.
func (s *Store) Leave(root string) {
	s.lot.mu.Lock()
	defer s.lot.mu.Unlock()
	for _, p := range s.lot.places {
		p.leave(root)
	}
	delete(s.lot.holds, root)
	delete(s.lot.unread, root)
}

// write needs mu.
func (l *lot) write(content parkedFile) (Spot, error) {
	l.serial = max(l.serial+1, uint64(l.now().UnixMicro()))
	content.Serial = l.serial
	var failed error
	for _, p := range l.places {
		if err := p.write(content); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		for _, other := range l.holding(content.Root) {
			if other != p && other.clear(content.Root) == nil { // what stays is older, and does not count
				delete(l.holds[content.Root], other)
			}
		}
		l.hold(content.Root, p, content.Serial)
		return p.spot(), nil
	}
	return Spot{}, failed
}

// clear needs mu. What is oldest goes first, so that it never takes the place of what is newer.
func (l *lot) clear(root string) error {
	for _, p := range l.holding(root) {
		if err := p.clear(root); err != nil {
			return err
		}
		delete(l.holds[root], p)
	}
	return nil
}

// read needs mu.
func (l *lot) read(root string) (newest parkedFile, spot Spot, failed error) {
	delete(l.unread, root)
	delete(l.holds, root)
	for _, p := range l.places {
		content, found, err := p.read(root)
		if err != nil {
			failed = errors.Join(failed, err)
			if !errors.Is(err, errDamagedFile) && !errors.Is(err, errStays) {
				l.unread[root] = err
			}
			continue
		}
		if !found {
			continue
		}
		l.hold(root, p, content.Serial)
		l.serial = max(l.serial, content.Serial)
		if newest.Root == "" || content.Serial > newest.Serial {
			newest, spot = content, p.spot()
		}
	}
	if l.unread[root] != nil {
		l.unread[root] = failed
		return parkedFile{}, Spot{}, failed // what cannot be read may be newer
	}
	return newest, spot, failed
}

func (l *lot) hold(root string, p place, serial uint64) {
	if l.holds[root] == nil {
		l.holds[root] = map[place]uint64{}
	}
	l.holds[root][p] = serial
}

// holding lists the places that have something of a root, the oldest first.
func (l *lot) holding(root string) []place {
	serials := l.holds[root]
	return slices.SortedFunc(maps.Keys(serials), func(a, b place) int {
		switch {
		case serials[a] < serials[b]:
			return -1
		case serials[a] > serials[b]:
			return 1
		}
		return 0
	})
}

func toParkedFile(root string, list []Parked) parkedFile {
	content := parkedFile{Root: root}
	for _, p := range list {
		content.Drafts = append(content.Drafts, parkedDraft{
			Path: p.Path, Text: p.Text, BaseVersion: p.BaseVersion, BaseText: p.BaseText, Version: p.Version, Over: p.Over, Changed: p.Changed,
		})
	}
	return content
}

func fromParkedFile(content parkedFile) (list []Parked) {
	for _, d := range content.Drafts {
		list = append(list, Parked{Over: d.Over, Draft: Draft{
			Root: content.Root, Path: d.Path, Text: d.Text, BaseVersion: d.BaseVersion, BaseText: d.BaseText, Version: d.Version, Changed: d.Changed,
		}})
	}
	return list
}

func encode(content parkedFile) ([]byte, error) { return json.Marshal(content) }

func decode(text []byte) (content parkedFile, err error) {
	err = json.Unmarshal(text, &content)
	return content, err
}
