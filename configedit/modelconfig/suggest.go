package modelconfig

import (
	"strings"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// nearest returns the candidate that a misspelt word most likely means, or "". Of two that are as near, it is the one that
// the word begins: TYPE_INT3 is TYPE_INT32 without its end.
func nearest(word string, candidates []string) string {
	word = strings.ToLower(word)
	best, distance, begun := "", len(word)/3+1, false
	for _, c := range candidates {
		lower := strings.ToLower(c)
		d, begins := editDistance(word, lower), strings.HasPrefix(lower, word)
		if d < distance || d == distance && (best == "" || begins && !begun) {
			best, distance, begun = c, d, begins
		}
	}
	return best
}

// certain reports whether a misspelt word can mean only one of the candidates: it is the only one that a single slip
// of the finger away.
func certain(word, meant string, candidates []string) bool {
	for _, c := range candidates {
		if (editDistance(strings.ToLower(word), strings.ToLower(c)) <= 1) != (c == meant) {
			return false
		}
	}
	return true
}

// maxWord bounds the words that are compared; no name is that long.
const maxWord = 64

// editDistance counts the letters to insert, drop, replace, or swap with their
// neighbour.
func editDistance(a, b string) int {
	if len(a) > maxWord || len(b) > maxWord {
		return maxWord
	}
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			next[j+1] = min(row[j]+differs(a[i], b[j]), row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}

func differs(a, b byte) int {
	if a == b {
		return 0
	}
	return 1
}

// fieldAliases are names that other tools and Triton's own metadata use.
var fieldAliases = map[string]string{
	"datatype": "data_type", "dtype": "data_type", "type": "data_type",
	"shape": "dims", "dim": "dims", "max_batch": "max_batch_size", "batch_size": "max_batch_size",
	"instances": "count", "steps": "step", "inputs": "input", "outputs": "output",
}

// suggestField is the field of a message that a wrong name most likely means.
func suggestField(desc protoreflect.MessageDescriptor, word string) string {
	names := fieldNames(desc)
	for _, name := range names {
		if camelOf(name) == word {
			return name
		}
	}
	if alias := fieldAliases[strings.ToLower(word)]; alias != "" && desc.Fields().ByName(protoreflect.Name(alias)) != nil {
		return alias
	}
	return nearest(word, names)
}

func fieldNames(desc protoreflect.MessageDescriptor) []string {
	names := make([]string, desc.Fields().Len())
	for i := range names {
		names[i] = string(desc.Fields().Get(i).Name())
	}
	return names
}

func camelOf(snake string) string {
	parts := strings.Split(snake, "_")
	for i := 1; i < len(parts); i++ {
		if parts[i] != "" {
			parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
		}
	}
	return strings.Join(parts, "")
}

// holders returns the fields of a message whose own message has a field of that
// name. The misplaced field probably belongs there.
func holders(desc protoreflect.MessageDescriptor, word string) []string {
	var out []string
	for i := range desc.Fields().Len() {
		fd := desc.Fields().Get(i)
		if inner := fd.Message(); inner != nil && !fd.IsMap() && inner.Fields().ByName(protoreflect.Name(word)) != nil {
			out = append(out, string(fd.Name()))
		}
	}
	return out
}

// typeAliases are names of data types in NumPy, ONNX, PyTorch and requests.
var typeAliases = map[string]string{
	"FLOAT": "TYPE_FP32", "FLOAT32": "TYPE_FP32", "DOUBLE": "TYPE_FP64", "FLOAT64": "TYPE_FP64",
	"HALF": "TYPE_FP16", "FLOAT16": "TYPE_FP16", "BFLOAT16": "TYPE_BF16", "INT": "TYPE_INT32",
	"LONG": "TYPE_INT64", "SHORT": "TYPE_INT16", "CHAR": "TYPE_INT8", "BYTE": "TYPE_UINT8",
	"BYTES": "TYPE_STRING", "STR": "TYPE_STRING", "OBJECT": "TYPE_STRING", "BOOLEAN": "TYPE_BOOL",
	"INTEGER": "TYPE_INT32",
}

// suggestEnum returns the enumerator that a wrong word most likely means, or "". It proposes none that no config is right
// with.
func suggestEnum(desc protoreflect.EnumDescriptor, word string) string {
	guess := guessEnum(desc, word)
	if guess == DataType_TYPE_INVALID.String() {
		return ""
	}
	return guess
}

func guessEnum(desc protoreflect.EnumDescriptor, word string) string {
	names := enumNames(desc)
	upper := strings.ToUpper(strings.ReplaceAll(word, "-", "_"))
	for _, name := range names {
		if name == upper || strings.HasSuffix(name, "_"+upper) {
			return name
		}
	}
	if alias, ok := typeAliases[strings.TrimPrefix(upper, "TYPE_")]; ok && desc.FullName() == "inference.DataType" {
		return alias
	}
	return nearest(word, names)
}

func enumNames(desc protoreflect.EnumDescriptor) []string {
	names := make([]string, desc.Values().Len())
	for i := range names {
		names[i] = string(desc.Values().Get(i).Name())
	}
	return names
}

// certainEnum reports whether a wrong word can mean only one enumerator: its name without what all of them begin with,
// in any case, or a single slip of the finger away from it.
func certainEnum(desc protoreflect.EnumDescriptor, word, meant string) bool {
	names := enumNames(desc)
	prefix, _, _ := strings.Cut(meant, "_")
	return strings.EqualFold(word, meant) || strings.EqualFold(prefix+"_"+word, meant) || certain(word, meant, names)
}

// IsField reports whether a word is the name of a field, somewhere in a config.
func IsField(word string) bool { return allFields()[word] }

var allFields = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	var add func(protoreflect.MessageDescriptors)
	add = func(messages protoreflect.MessageDescriptors) {
		for i := range messages.Len() {
			for _, name := range fieldNames(messages.Get(i)) {
				all[name] = true
			}
			add(messages.Get(i).Messages())
		}
	}
	add((*ModelConfig)(nil).ProtoReflect().Descriptor().ParentFile().Messages())
	return all
})
