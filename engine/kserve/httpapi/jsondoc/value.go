package jsondoc

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unsafe"
)

// Kind is the kind of a Value.
type Kind uint8

// The kinds of JSON values.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// Triton's sentences about values of the wrong kind (docs/triton/http.md, "Infer request").
var (
	ErrNotString   = errors.New("attempt to access JSON non-string as string")
	ErrNotArray    = errors.New("attempt to access JSON non-array as array")
	ErrNotBool     = errors.New("attempt to access JSON non-boolean as boolean")
	ErrNotInt      = errors.New("attempt to access JSON non-signed-integer as signed-integer")
	ErrNotUint     = errors.New("attempt to access JSON non-unsigned-integer as unsigned-integer")
	ErrNotDouble   = errors.New("attempt to access JSON non-number as double")
	ErrNoMembersOf = errors.New("attempt to get members for non-object")
)

// Value is one JSON value.
type Value struct {
	kind  Kind
	stays bool   // nobody changes the bytes of raw
	raw   []byte // as written, without space around it
	// inside is the content of an Object or an Array. It is nil for an empty one, and for scalars, which are the most
	// frequent values.
	inside *inside
}

// inside is the content of an object or an array.
type inside struct {
	members []Member // of an Object
	items   []Value  // the objects among an Array's elements
	places  []int    // their indices; nil while they are the first elements
	length  int      // elements of an Array
	leaves  int      // number of values that Elements returns
	flat    bool     // its objects are not kept
}

// Member is a name and its value.
type Member struct {
	Name  string
	Value Value
}

// Kind returns the kind of v.
func (v *Value) Kind() Kind { return v.kind }

// Members returns an object's members in the order in which they were written.
func (v *Value) Members() ([]Member, error) {
	if v.kind != Object {
		return nil, ErrNoMembersOf
	}
	return v.parts().members, nil
}

// Find looks up a member. It finds none in a value that is not an object. Of several members with
// the same name, the first counts.
func (v *Value) Find(name string) (*Value, bool) {
	members := v.parts().members
	for i := range members {
		if members[i].Name == name {
			return &members[i].Value, true
		}
	}
	return nil, false
}

var empty inside

func (v *Value) parts() *inside {
	if v.inside == nil {
		return &empty
	}
	return v.inside
}

// Get returns a member that must exist.
func (v *Value) Get(name string) (*Value, error) {
	if m, ok := v.Find(name); ok {
		return m, nil
	}
	return nil, fmt.Errorf("attempt to access non-existing object member '%s'", name)
}

// GetString returns the text of a member that must exist.
func (v *Value) GetString(name string) (string, error) {
	m, err := v.Get(name)
	if err != nil {
		return "", err
	}
	return m.Text()
}

// GetArray returns a member that must exist and must be an array.
func (v *Value) GetArray(name string) (*Value, error) {
	m, err := v.Get(name)
	if err != nil {
		return nil, err
	}
	if m.kind != Array {
		return nil, ErrNotArray
	}
	return m, nil
}

// Len returns the number of an array's elements.
func (v *Value) Len() int { return v.parts().length }

// Size returns the length of v's text in bytes.
func (v *Value) Size() int { return len(v.raw) }

// Leaves returns the number of values that Elements returns.
func (v *Value) Leaves() int { return v.parts().leaves }

// At returns element i of an array if it is an object. For any other element it returns Null;
// Elements returns those.
func (v *Value) At(i int) *Value {
	parts := v.parts()
	if parts.places != nil {
		place, found := slices.BinarySearch(parts.places, i)
		if !found {
			return &Value{}
		}
		i = place
	}
	if i < len(parts.items) {
		return &parts.items[i]
	}
	return &Value{}
}

// Elements returns an iterator over an array's values.
func (v *Value) Elements() Elements { return Elements{raw: v.raw} }

// Text returns a string's text with its escapes resolved.
func (v *Value) Text() (string, error) {
	if v.kind != String {
		return "", ErrNotString
	}
	if plain := v.raw[1 : len(v.raw)-1]; v.stays && bytes.IndexByte(plain, '\\') < 0 {
		return unsafe.String(unsafe.SliceData(plain), len(plain)), nil
	}
	return textOf(v.raw), nil
}

// Bool returns a boolean.
func (v *Value) Bool() (bool, error) {
	if v.kind != Bool {
		return false, ErrNotBool
	}
	return v.raw[0] == 't', nil
}

// Int returns a whole number that is written without fraction or exponent.
func (v *Value) Int() (int64, error) { return ParseInt(v.raw) }

// Uint returns a whole number that is not negative.
func (v *Value) Uint() (uint64, error) { return ParseUint(v.raw) }

// Double returns any number.
func (v *Value) Double() (float64, error) { return ParseDouble(v.raw) }
