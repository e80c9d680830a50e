package jsondoc

import (
	"errors"
	"fmt"
	"slices"
)

// Kind is what a Value is.
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
	kind Kind
	raw  []byte // as written, without space around it
	// inside is what an Object or an Array holds; nil for an empty one and for a scalar, of which there are the most.
	inside *inside
}

// inside is what a value holds that has others in it.
type inside struct {
	members []Member // of an Object
	items   []Value  // the objects among an Array's elements
	places  []int    // where they are; nil as long as they are the first elements
	length  int      // elements of an Array
	leaves  int      // what Elements walks over
	flat    bool     // its objects are not kept
}

// Member is a name and its value.
type Member struct {
	Name  string
	Value Value
}

// Kind says what v is.
func (v *Value) Kind() Kind { return v.kind }

// Members are an object's, in the order they were written.
func (v *Value) Members() ([]Member, error) {
	if v.kind != Object {
		return nil, ErrNoMembersOf
	}
	return v.parts().members, nil
}

// Find looks a member up; what is no object has none. Of several with one name the first counts.
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

// Get is Find for a member that must be there.
func (v *Value) Get(name string) (*Value, error) {
	if m, ok := v.Find(name); ok {
		return m, nil
	}
	return nil, fmt.Errorf("attempt to access non-existing object member '%s'", name)
}

// GetString is the text of a member that must be there.
func (v *Value) GetString(name string) (string, error) {
	m, err := v.Get(name)
	if err != nil {
		return "", err
	}
	return m.Text()
}

// GetArray is a member that must be there and be an array.
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

// Len is the number of an array's elements.
func (v *Value) Len() int { return v.parts().length }

// Size is how many bytes v was written in.
func (v *Value) Size() int { return len(v.raw) }

// Leaves is the number of values that Elements walks over.
func (v *Value) Leaves() int { return v.parts().leaves }

// At is element i of an array as far as it is an object; any other element is told as Null. Elements
// gives those.
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

// Elements walks an array's values.
func (v *Value) Elements() Elements { return Elements{raw: v.raw} }

// Text is a string's text, without its escapes.
func (v *Value) Text() (string, error) {
	if v.kind != String {
		return "", ErrNotString
	}
	return textOf(v.raw), nil
}

// Bool is true or false.
func (v *Value) Bool() (bool, error) {
	if v.kind != Bool {
		return false, ErrNotBool
	}
	return v.raw[0] == 't', nil
}

// Int is a whole number written without fraction or exponent.
func (v *Value) Int() (int64, error) { return ParseInt(v.raw) }

// Uint is a whole number from 0.
func (v *Value) Uint() (uint64, error) { return ParseUint(v.raw) }

// Double is any number.
func (v *Value) Double() (float64, error) { return ParseDouble(v.raw) }
