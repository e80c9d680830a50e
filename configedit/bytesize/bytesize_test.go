package bytesize_test

import (
	"testing"

	"conch/configedit/bytesize"
)

func TestTexts(t *testing.T) {
	for bytes, want := range map[int64]string{
		0:                 "0 B",
		1023:              "1023 B",
		246_685_715:       "235 MiB",
		1<<20 - 1:         "1.0 MiB",
		81_559 << 20:      "79.6 GiB",
		85_899_345_920:    "80.0 GiB", // a GPU of "80GB", as its driver tells it
		999_950_000:       "954 MiB",
		381 << 30:         "381 GiB",
		9_000_000_000_000: "8.2 TiB",
		1 << 62:           "4194304 TiB",
	} {
		if got := bytesize.Text(bytes); got != want {
			t.Errorf("%d: got %q, want %q", bytes, got, want)
		}
	}
}
