package folder_test

import (
	"testing"

	"conch/configedit/folder"
)

func TestVanished(t *testing.T) {
	for _, c := range []struct {
		had      int
		replaced bool
		want     bool
	}{{0, false, false}, {0, true, false}, {1, false, false}, {1, true, true}, {2, false, true}, {2, true, true}} {
		if got := folder.Vanished(c.had, c.replaced); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
