package bytesize_test

import (
	"testing"

	"conch/configedit/bytesize"
)

func TestTexts(t *testing.T) {
	for bytes, want := range map[int64][2]string{
		0:                 {"0 B", "0 B"},
		1023:              {"1023 B", "1.0 KB"},
		246_685_715:       {"235 MiB", "247 MB"},
		1<<20 - 1:         {"1.0 MiB", "1.0 MB"},
		81_559 << 20:      {"79.6 GiB", "85.5 GB"},
		85_899_345_920:    {"80.0 GiB", "85.9 GB"}, // a GPU of "80GB", as its driver tells it
		999_950_000:       {"954 MiB", "1.0 GB"},
		381 << 30:         {"381 GiB", "409 GB"},
		9_000_000_000_000: {"8.2 TiB", "9.0 TB"},
		1 << 62:           {"4194304 TiB", "4611686 TB"},
	} {
		if got := [2]string{bytesize.Memory(bytes), bytesize.File(bytes)}; got != want {
			t.Errorf("%d: got %q, want %q", bytes, got, want)
		}
	}
}
