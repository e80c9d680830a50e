package language_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/app/language"
	"conch/repo/scan"
)

// BenchmarkKeystroke judges an ensemble of five steps and 400 lines among a thousand models, with all
// that the editor asks for after a key.
func BenchmarkKeystroke(b *testing.B) {
	root := b.TempDir()
	for i := range 1000 {
		plain(b, root, fmt.Sprintf("m%d", i), "backend: \"python\"\nmax_batch_size: 8\n"+
			"input { name: \"x\" data_type: TYPE_FP32 dims: [ 4 ] }\noutput { name: \"y\" data_type: TYPE_FP32 dims: [ 4 ] }\n")
	}
	text := "platform: \"ensemble\"\nmax_batch_size: 8\ninput { name: \"t0\" data_type: TYPE_FP32 dims: [ 4 ] }\n" +
		"output { name: \"t5\" data_type: TYPE_FP32 dims: [ 4 ] }\nensemble_scheduling {\n"
	for i := range 5 {
		text += fmt.Sprintf("step {\nmodel_name: \"m%d\"\nmodel_version: -1\ninput_map {\nkey: \"x\"\nvalue: \"t%d\"\n}\noutput_map {\nkey: \"y\"\nvalue: \"t%d\"\n}\n", i, i, i+1) +
			strings.Repeat("# a remark of the kind that configs have\n", 67) + "}\n"
	}
	text += "}\n"
	plain(b, root, "e", text)
	analysis := language.New(scan.New(root).Scan(nil), nil, language.Around{})
	analysis.Users("e")
	for b.Loop() {
		with, m := analysis.With("e", []byte(text))
		if list := with.Diagnose(m); len(list) > 0 {
			b.Fatalf("%v", list)
		}
		with.Hints(m)
		with.Outline(m)
		with.Users("e")
	}
}

func plain(b testing.TB, root, name, config string) {
	b.Helper()
	dir := filepath.Join(root, name, "1")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	for path, content := range map[string]string{"config.pbtxt": config, "1/model.py": "class TritonPythonModel: pass\n"} {
		if err := os.WriteFile(filepath.Join(root, name, path), []byte(content), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}
