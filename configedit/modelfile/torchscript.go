package modelfile

import (
	"slices"
	"strings"
)

// TorchScript is what can be read from a TorchScript archive without running it: nothing in it is unpickled or executed, and the
// weights are not read.
type TorchScript struct {
	// Class is the qualified name of the model's class: "__torch__.models.net.Net"; "" where it cannot be told.
	Class string
	// Version is the version of the archive's format, as it writes it: "3".
	Version string
	// Extra are the names of the files that were saved along with the model, sorted.
	Extra []string
	// Known means that the program of Class was found and read. The fields below are valid only then.
	Known bool
	// Forward means that the class has a method forward, which Triton calls.
	Forward bool
	// Arguments are those of forward, without self.
	Arguments []Argument
	// Returns is the return type of forward, as TorchScript writes it: "Tuple[Tensor, Tensor]".
	Returns string
}

// Argument is an argument of forward. Type is as TorchScript writes it: "Tensor", "Dict[str, Tensor]".
type Argument struct{ Name, Type string }

// Names are the names of the arguments.
func (m *TorchScript) Names() []string {
	names := make([]string, len(m.Arguments))
	for i, a := range m.Arguments {
		names[i] = a.Name
	}
	return names
}

// Dictionary reports whether forward takes a single dictionary, whose keys are then the names of the inputs.
func (m *TorchScript) Dictionary() bool {
	return len(m.Arguments) == 1 && strings.HasPrefix(m.Arguments[0].Type, "Dict[")
}

// Outputs returns the types of the values that forward returns, one for each output that Triton can name: only a tuple
// makes several. It returns nil if they are unknown.
func (m *TorchScript) Outputs() []string {
	if inner, ok := generic(m.Returns, "Tuple"); ok {
		return splitTypes(inner)
	}
	if m.Returns == "Tensor" || UnservedType(m.Returns) || m.Returns == "List[str]" {
		return []string{m.Returns}
	}
	return nil
}

// UnservedType reports whether a return type of forward surely makes requests fail: only tensors and lists of text pass.
func UnservedType(t string) bool {
	for _, prefix := range [...]string{"Dict[", "Tuple[", "List["} {
		if strings.HasPrefix(t, prefix) && t != "List[str]" {
			return true
		}
	}
	return slices.Contains([]string{"int", "float", "bool", "str", "NoneType", "complex"}, t)
}

// generic takes the part in brackets of a type such as "Tuple[Tensor, Tensor]".
func generic(t, name string) (inner string, ok bool) {
	inner, ok = strings.CutPrefix(t, name+"[")
	if !ok || !strings.HasSuffix(inner, "]") {
		return "", false
	}
	return inner[:len(inner)-1], true
}

// splitTypes parts types at the commas that are in no brackets.
func splitTypes(list string) []string {
	var types []string
	depth, start := 0, 0
	for i := range len(list) {
		switch list[i] {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case ',':
			if depth == 0 {
				types = append(types, strings.TrimSpace(list[start:i]))
				start = i + 1
			}
		}
	}
	if last := strings.TrimSpace(list[start:]); last != "" {
		types = append(types, last)
	}
	return types
}

// SaidType is a type as libtorch's messages write it: "Tensor?", "Dict(str, Tensor)", "(int, int)".
func SaidType(t string) string {
	if inner, ok := generic(t, "Optional"); ok {
		return SaidType(inner) + "?"
	}
	if inner, ok := generic(t, "List"); ok {
		return SaidType(inner) + "[]"
	}
	for _, g := range [...]struct{ name, called string }{{"Dict", "Dict"}, {"Tuple", ""}} {
		if inner, ok := generic(t, g.name); ok {
			types := splitTypes(inner)
			for i := range types {
				types[i] = SaidType(types[i])
			}
			return g.called + "(" + strings.Join(types, ", ") + ")"
		}
	}
	return t
}
