package jsondoc

import (
	"slices"
	"unsafe"
)

// The memory of the parts of a parsed document.
const (
	memberBytes = int64(unsafe.Sizeof(Member{}))
	valueBytes  = int64(unsafe.Sizeof(Value{}))
	insideBytes = int64(unsafe.Sizeof(inside{}))
	placeBytes  = int64(unsafe.Sizeof(int(0)))
)

// spend asks for memory before it is taken.
func (p *parser) spend(bytes int64) error {
	if p.grow == nil {
		return nil
	}
	return p.grow(bytes)
}

// put appends to a list whose elements take the given number of bytes. The list grows by doubling. The parser asks
// for the whole new list, because the old one keeps its memory until the next garbage collection.
func put[T any](p *parser, list []T, v T, bytes int64) ([]T, error) {
	if len(list) == cap(list) {
		more := max(len(list), 4)
		if err := p.spend(int64(len(list)+more) * bytes); err != nil {
			return list, err
		}
		list = slices.Grow(list, more)
	}
	return append(list, v), nil
}

func (p *parser) newInside() (*inside, error) {
	part, err := p.insides.cut(p, 1, insideBytes)
	if err != nil {
		return nil, err
	}
	return &part[0], nil
}

func (p *parser) object(v *Value) error {
	v.kind = Object
	p.pos++ // {
	p.space()
	if p.take('}') {
		return nil
	}
	first := len(p.open)
	for {
		if err := p.member(); err != nil {
			return err
		}
		p.space()
		switch {
		case p.take(','):
			p.space()
		case p.take('}'):
			return p.close(v, first)
		default:
			return p.fail("Missing a comma or '}' after an object member.")
		}
	}
}

// close stores the members of an object that has ended.
func (p *parser) close(v *Value, first int) (err error) {
	if v.inside, err = p.newInside(); err != nil {
		return err
	}
	v.inside.members, err = p.members.cut(p, len(p.open)-first, memberBytes)
	copy(v.inside.members, p.open[first:])
	p.open = p.open[:first]
	return err
}

func (p *parser) member() error {
	if p.peek() != '"' {
		return p.fail("Missing a name for object member.")
	}
	start := p.pos
	if err := p.str(); err != nil {
		return err
	}
	name, known := names[string(p.src[start:p.pos])]
	if !known {
		if err := p.spend(int64(p.pos - start)); err != nil {
			return err
		}
		name = textOf(p.src[start:p.pos])
	}
	p.space()
	if !p.take(':') {
		return p.fail("Missing a colon after a name of object member.")
	}
	p.space()
	val, err := p.value()
	if err != nil {
		return err
	}
	p.open, err = put(p, p.open, Member{Name: name, Value: val}, memberBytes)
	return err
}

func (p *parser) array(v *Value) (err error) {
	v.kind = Array
	if v.inside, err = p.newInside(); err != nil {
		return err
	}
	return p.elements(v.inside)
}

// elements checks the elements of an array.
func (p *parser) elements(in *inside) error {
	p.pos++ // [
	p.space()
	if p.take(']') {
		return nil
	}
	for {
		if err := p.element(in); err != nil {
			return err
		}
		p.space()
		switch {
		case p.take(','):
			p.space()
		case p.take(']'):
			return nil
		default:
			return p.fail("Missing a comma or ']' after an array element.")
		}
	}
}

// element checks one element and keeps it when it is an object.
func (p *parser) element(in *inside) error {
	place := in.length
	in.length++
	switch p.peek() {
	case '{':
		in.leaves++
		item, err := p.value()
		if err != nil || in.flat {
			return err
		}
		return p.keep(in, item, place)
	case '[':
		return p.row(in)
	}
	in.leaves++ // the hot path: a scalar is not kept
	_, err := p.scalar()
	return err
}

// row checks an array within an array. Only the number of its values is kept.
func (p *parser) row(in *inside) error {
	if p.depth++; p.depth > MaxDepth {
		return DepthError{}
	}
	row := inside{flat: true}
	err := p.elements(&row)
	in.leaves += row.leaves
	p.depth--
	return err
}

// keep adds an object to an array's items. Their positions are recorded only when the objects are not the first
// elements.
func (p *parser) keep(in *inside, item Value, place int) error {
	if in.places == nil && place != len(in.items) {
		if err := p.spend(int64(len(in.items)+1) * placeBytes); err != nil {
			return err
		}
		in.places = make([]int, len(in.items), len(in.items)+1)
		for i := range in.places {
			in.places[i] = i
		}
	}
	var err error
	if in.places != nil {
		if in.places, err = put(p, in.places, place, placeBytes); err != nil {
			return err
		}
	}
	in.items, err = put(p, in.items, item, valueBytes)
	return err
}
