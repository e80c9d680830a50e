package modelconfig_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"

	"conch/configedit/diag"
	"conch/configedit/modelconfig"
)

// largeConfig is an ensemble of five steps in about 400 lines.
func largeConfig() []byte {
	var b strings.Builder
	b.WriteString("# the whole pipeline\nname: \"pipeline\"\nplatform: \"ensemble\"\nmax_batch_size: 8\n")
	for i := range 24 {
		fmt.Fprintf(&b, "input [\n  {\n    name: \"INPUT_%d\" # tensor\n    data_type: TYPE_FP32\n    dims: [ 3, 224, -1 ]\n  }\n]\n", i)
	}
	b.WriteString("ensemble_scheduling {\n  step [\n")
	for i := range 5 {
		fmt.Fprintf(&b, "    {\n      model_name: \"model_%d\"\n      model_version: -1\n", i)
		for k := range 10 {
			fmt.Fprintf(&b, "      input_map {\n        key: \"in_%d\"\n        value: \"tensor_%d_%d\"\n      }\n", k, i, k)
		}
		b.WriteString("    }" + map[bool]string{true: ",", false: ""}[i < 4] + "\n")
	}
	b.WriteString("  ]\n}\n")
	return []byte(b.String())
}

func BenchmarkParse(b *testing.B) {
	src := largeConfig()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, list := modelconfig.Parse("config.pbtxt", src); diag.HasErrors(list) {
			b.Fatal(list)
		}
	}
}

// BenchmarkParseBroken reads a config in which one bracket is missing, as it is while somebody types.
func BenchmarkParseBroken(b *testing.B) {
	src := []byte(strings.Replace(string(largeConfig()), "dims: [ 3, 224, -1 ]\n  }\n", "dims: [ 3, 224, -1 ]\n", 1))
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, list := modelconfig.Parse("config.pbtxt", src); len(list) != 1 {
			b.Fatal(list)
		}
	}
}

func BenchmarkProtoText(b *testing.B) {
	src := largeConfig()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if err := prototext.Unmarshal(src, &modelconfig.ModelConfig{}); err != nil {
			b.Fatal(err)
		}
	}
}
