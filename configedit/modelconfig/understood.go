package modelconfig

import (
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"

	"conch/configedit/diag"
	"conch/configedit/text"
)

// unknown is a field that the schema lacks.
type unknown struct {
	owner protoreflect.MessageDescriptor
	value text.Value
	// guess is the field that its name probably means, or "".
	guess string
	// misplaced means that the name is that of a field of another message.
	misplaced bool
}

// MayMean reports whether the unknown field at an offset may be the field of that name. If its name tells nothing, it may
// be any field that takes such a value.
func (d *Decoded) MayMean(off int, field string) bool {
	u, known := d.unknown[off]
	switch {
	case !known:
		return true
	case u.guess != "":
		return u.guess == field
	}
	return !u.misplaced && u.fits(u.owner.Fields().ByName(protoreflect.Name(field)))
}

// fits reports whether a field takes a value of this form.
func (u unknown) fits(fd protoreflect.FieldDescriptor) bool {
	value := u.value
	if list, ok := value.(*text.List); ok {
		if fd == nil || !fd.IsList() && !fd.IsMap() {
			return false
		}
		if len(list.Elements) == 0 {
			return true
		}
		value = list.Elements[0].Value
	}
	switch v := value.(type) {
	case *text.Message:
		return fd != nil && fd.Message() != nil
	case *text.Scalar:
		return fd != nil && fd.Message() == nil && (v.Kind() == text.String) == (fd.Kind() == protoreflect.StringKind)
	}
	return true
}

// Understood reports whether Config holds what was meant in spite of a mistake: there is a fix that is certainly right,
// and the value was not left out.
func (d *Decoded) Understood(mistake diag.Diagnostic) bool {
	if !slices.ContainsFunc(mistake.Fixes, func(f diag.Fix) bool { return f.Confidence.IsSafe() }) {
		return false
	}
	for v := range d.skipped {
		if v.Span().Start == mistake.Span.Start {
			return false
		}
	}
	return true
}

// Meant returns the name of a field of the text, or the name that it certainly means if it is misspelt.
func (d *Decoded) Meant(f *text.Field) string {
	if meant, ok := d.renamed[f]; ok {
		return meant
	}
	return f.Name.Text
}

// Once reports whether a config takes a field only once.
func Once(name string) bool {
	fd := (&ModelConfig{}).ProtoReflect().Descriptor().Fields().ByName(protoreflect.Name(name))
	return fd != nil && fd.Cardinality() != protoreflect.Repeated
}
