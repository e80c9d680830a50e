package checktest

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"conch/configedit/modelfile"
)

// savedModel writes a saved model from lines, and reads it: "graph TAG…" begins a graph, "signature NAME METHOD" a
// signature, and "input image 1 [-1, 64]" is a tensor of an element type with TensorFlow's number; "?" in place of
// the dims leaves the rank open. A text that begins with "raw " stands for itself; an empty one says nothing.
func savedModel(t testing.TB, content string) (*modelfile.SavedModel, error) {
	t.Helper()
	if strings.TrimSpace(content) == "" {
		return nil, nil
	}
	data := []byte(content)
	if !strings.HasPrefix(content, "raw ") {
		data = SavedModel(t, content)
	}
	return modelfile.ReadSavedModel(bytes.NewReader(data), int64(len(data)))
}

// SavedModel writes a saved_model.pb from lines.
func SavedModel(t testing.TB, content string) []byte {
	t.Helper()
	var file, graph, signature []byte
	var name string
	endSignature := func() {
		if name != "" {
			graph = appendEntry(graph, 5, name, signature)
		}
		name, signature = "", nil
	}
	endGraph := func() {
		endSignature()
		if graph != nil {
			file = appendBytes(file, 2, graph)
		}
		graph = nil
	}
	for line := range strings.Lines(content) {
		words := strings.Fields(line)
		switch words[0] {
		case "graph":
			endGraph()
			var info []byte
			for _, tag := range words[1:] {
				info = appendBytes(info, 4, []byte(tag))
			}
			graph = appendBytes(nil, 1, info)
		case "signature":
			endSignature()
			name, signature = words[1], appendBytes(nil, 3, []byte(strings.Join(words[2:], " ")))
		case "input":
			signature = appendEntry(signature, 1, words[1], tensorInfo(t, line))
		case "output":
			signature = appendEntry(signature, 2, words[1], tensorInfo(t, line))
		default:
			t.Fatalf("line %q", line)
		}
	}
	endGraph()
	return append(appendVarint(nil, 1, 1), file...)
}

func tensorInfo(t testing.TB, line string) []byte {
	var side, name string
	var element uint64
	before, dims, shaped := strings.Cut(line, "[")
	if _, err := fmt.Sscan(before, &side, &name, &element); err != nil {
		t.Fatalf("line %q: %v", line, err)
	}
	var shape []byte
	if !shaped {
		shape = appendVarint(nil, 3, 1)
	}
	for _, word := range strings.FieldsFunc(dims, func(r rune) bool { return strings.ContainsRune(", ]\n", r) }) {
		size, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			t.Fatalf("dims %q: %v", word, err)
		}
		shape = appendBytes(shape, 2, appendVarint(nil, 1, uint64(size)))
	}
	info := appendVarint(appendBytes(nil, 1, []byte(name+":0")), 2, element)
	return appendBytes(info, 3, shape)
}

func appendEntry(b []byte, number protowire.Number, key string, value []byte) []byte {
	return appendBytes(b, number, appendBytes(appendBytes(nil, 1, []byte(key)), 2, value))
}

func appendBytes(b []byte, number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), value)
}

func appendVarint(b []byte, number protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), value)
}
