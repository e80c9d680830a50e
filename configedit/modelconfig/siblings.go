package modelconfig

import (
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/text"
)

// siblings are the values of one field in one message, in file order: list elements one by one, and the whole of an
// empty list.
type siblings struct {
	all  []spot
	kept []spot // those that are in the config, too, so that indexes agree

	keyed sync.Once
	byKey map[string]int // of a map: the last kept entry of a key
}

// siblingIndex remembers them, so that asking for each of n elements costs n and not n².
type siblingIndex struct {
	mu sync.Mutex
	of map[sibling]*siblings
}

type sibling struct {
	tree *text.Message
	name string
}

func (d *Decoded) siblings(tree *text.Message, name string) *siblings {
	d.index.mu.Lock()
	defer d.index.mu.Unlock()
	key := sibling{tree, name}
	if s, ok := d.index.of[key]; ok {
		return s
	}
	all := d.spots(tree, name)
	s := &siblings{all: all, kept: d.kept(all)}
	d.index.of[key] = s
	return s
}

func (d *Decoded) spots(tree *text.Message, name string) []spot {
	var out []spot
	for _, f := range tree.Fields {
		if d.Meant(f) != name || f.Name.Extension || f.Value == nil {
			continue
		}
		list, ok := f.Value.(*text.List)
		if !ok {
			out = append(out, spot{f, f.Value})
			continue
		}
		for _, e := range list.Elements {
			if e.Value != nil {
				out = append(out, spot{f, e.Value})
			}
		}
		if len(list.Elements) == 0 {
			out = append(out, spot{f, list})
		}
	}
	return out
}

func (d *Decoded) kept(spots []spot) []spot {
	out := make([]spot, 0, len(spots))
	for _, s := range spots {
		if _, list := s.value.(*text.List); !list && !d.skipped[s.value] {
			out = append(out, s)
		}
	}
	return out
}

// entry is the kept entry of a map that has the key; of several, the one that counts.
func (s *siblings) entry(doc *text.Document, fd protoreflect.FieldDescriptor, key string) (spot, bool) {
	s.keyed.Do(func() {
		s.byKey = make(map[string]int, len(s.kept))
		for i := range s.kept {
			s.byKey[keyOf(doc, s.kept[i].value, fd.MapKey())] = i
		}
	})
	i, ok := s.byKey[key]
	if !ok {
		return spot{}, false
	}
	return s.kept[i], true
}
