package modelfile_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"conch/configedit/modelfile"
)

// entries makes an ONNX file whose graph has this field so many times, each with a name of its own.
func entries(number, name protowire.Number, count int) []byte {
	var graph []byte
	for i := range count {
		entry := protowire.AppendString(protowire.AppendTag(nil, name, protowire.BytesType), fmt.Sprintf("%07d", i))
		graph = protowire.AppendBytes(protowire.AppendTag(graph, number, protowire.BytesType), entry)
	}
	return protowire.AppendBytes(protowire.AppendTag(nil, 7, protowire.BytesType), graph)
}

// A small file that declares very many things takes little memory, and is refused.
func TestReadONNXIsBounded(t *testing.T) {
	for what, file := range map[string][]byte{
		"inputs":  entries(11, 1, 1_000_000),
		"outputs": entries(12, 1, 1_000_000),
		"weights": entries(5, 8, 1_000_000),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := modelfile.ReadONNX(bytes.NewReader(file), int64(len(file)))
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "which Conch does not read") {
			t.Errorf("a million %s: %v", what, err)
		}
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 80 {
			t.Errorf("a million %s took %d MiB", what, took)
		}
	}
	fair := entries(5, 8, 100_000)
	if _, err := modelfile.ReadONNX(bytes.NewReader(fair), int64(len(fair))); err != nil {
		t.Errorf("a hundred thousand weights: %v", err)
	}
}
