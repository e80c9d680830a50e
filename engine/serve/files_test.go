package serve

import (
	"testing"

	"conch/engine/option"
)

// All ports together leave files for models and saves, for any requested number.
func TestConnectionsFitTheOpenFiles(t *testing.T) {
	for _, files := range []int{16, 64, 256, 1024, 4096, 1 << 20} {
		for _, asked := range []int{-1, 0, 1, 100, 1 << 20} {
			each, metrics := connectionsFor(asked, files)
			left := files - 2*each - metrics
			if each < 1 || metrics < 1 || left < files/4 {
				t.Errorf("%d asked, %d files: %d each, %d for metrics, %d are left", asked, files, each, metrics, left)
			}
			if asked > 0 && each > asked {
				t.Errorf("%d asked, %d given", asked, each)
			}
		}
	}
	if each, _ := connectionsFor(-1, 1<<20); each != option.Default().MaxConnections {
		t.Errorf("%d where there are files enough", each)
	}
	if each, metrics := connectionsFor(0, 0); each != 0 || metrics != 0 {
		t.Errorf("%d, %d where no limit is known", each, metrics)
	}
}
