package scan_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"conch/repo/scan"
)

// repository makes n models of three files each.
func repository(t testing.TB, n int) string {
	top := t.TempDir()
	for i := range n {
		dir := filepath.Join(top, fmt.Sprintf("model_%04d", i))
		check(t, os.MkdirAll(filepath.Join(dir, "1"), 0o755))
		check(t, os.WriteFile(filepath.Join(dir, "config.pbtxt"), []byte("max_batch_size: 8\nbackend: \"onnxruntime\"\n"), 0o644))
		check(t, os.WriteFile(filepath.Join(dir, "labels.txt"), []byte("a\nb\n"), 0o644))
		check(t, os.WriteFile(filepath.Join(dir, "1", "model.onnx"), []byte("onnx"), 0o644))
	}
	return top
}

// BenchmarkScan5000 has to stay under a second from a warm disk.
func BenchmarkScan5000(b *testing.B) {
	s := scan.New(repository(b, 5000))
	for b.Loop() {
		if x := s.Scan(nil); len(x.Models) != 5000 {
			b.Fatal(len(x.Models))
		}
	}
}

// BenchmarkRescan is a saved config among 5,000 models.
func BenchmarkRescan(b *testing.B) {
	top := repository(b, 5000)
	s := scan.New(top)
	x := s.Scan(nil)
	config := filepath.Join(top, "model_2500", "config.pbtxt")
	for i := 0; b.Loop(); i++ {
		check(b, os.WriteFile(config, fmt.Appendf(nil, "max_batch_size: %d\n", i), 0o644))
		x = s.Rescan(x, []string{config})
	}
	if x.Seq < 2 {
		b.Fatal("nothing changed")
	}
}
