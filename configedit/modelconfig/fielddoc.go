package modelconfig

import (
	_ "embed"
	"strings"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"
)

//go:embed model_config.proto
var schemaText string

// Doc is the help text of a message, field, oneof, enum or enum value, by full
// name, such as "inference.ModelConfig.max_batch_size"; empty for unknown names.
func Doc(name protoreflect.FullName) string { return fieldDocs()[name] }

// fieldDocs reads the comments of model_config.proto, which has one declaration
// a line and its comment above it. (Generated code drops comments.)
var fieldDocs = sync.OnceValue(func() map[protoreflect.FullName]string {
	docs := map[protoreflect.FullName]string{}
	r := docReader{docs: docs, scopes: []docScope{{name: "inference"}}}
	for line := range strings.Lines(schemaText) {
		r.line(strings.TrimSpace(line))
	}
	return docs
})

type docReader struct {
	docs    map[protoreflect.FullName]string
	scopes  []docScope
	comment []string
}

// docScope is a block being read. What an enum or a oneof holds is named in the
// scope around it, as protobuf does.
type docScope struct {
	name        protoreflect.FullName
	transparent bool
}

func (r *docReader) line(line string) {
	if text, ok := strings.CutPrefix(line, "//"); ok {
		r.comment = append(r.comment, strings.TrimSpace(text))
		return
	}
	words := strings.Fields(line)
	switch {
	case line == "}":
		r.scopes = r.scopes[:len(r.scopes)-1]
	case len(words) < 2 || words[0] == "syntax" || words[0] == "package" || words[0] == "option":
	case words[0] == "message" || words[0] == "enum" || words[0] == "oneof":
		name := r.record(words[1])
		if !strings.HasSuffix(line, "}") {
			r.scopes = append(r.scopes, docScope{name, words[0] != "message"})
		}
	default:
		before, _, _ := strings.Cut(line, " = ")
		r.record(before[strings.LastIndexByte(before, ' ')+1:])
	}
	r.comment = nil
}

// record files the comment under a name in the innermost scope that names.
func (r *docReader) record(name string) protoreflect.FullName {
	i := len(r.scopes) - 1
	for r.scopes[i].transparent {
		i--
	}
	full := r.scopes[i].name.Append(protoreflect.Name(name))
	r.docs[full] = strings.Join(r.comment, " ")
	return full
}
