package workspace

import (
	"strings"
	"syscall"
	"testing"

	"conch/app/api"
	"conch/app/overlay"
)

// TestDescribeKeeping: only texts that would be lost are called lost. A copy that cannot be removed is
// not a loss. A text in a temporary folder is reported there, whatever else fails.
func TestDescribeKeeping(t *testing.T) {
	nothingLost := &overlay.UnkeptError{Err: syscall.EROFS}
	lost := &overlay.UnkeptError{Keys: []overlay.Key{{Root: "/r", Path: "m/config.pbtxt"}}, Err: syscall.ENOSPC}
	shortLived, reserve := overlay.Spot{Path: "/run/conch", ShortLived: true}, overlay.Spot{Path: "/data"}
	for _, c := range []struct {
		name      string
		elsewhere []overlay.Spot
		err       error
		level     api.Notice_Level
		says      string
		wellNow   bool
	}{
		{"in no place", nil, lost, api.Notice_LEVEL_ERROR, "They are lost when Conch ends", false},
		{"one in no place", []overlay.Spot{shortLived}, lost, api.Notice_LEVEL_ERROR, "They are lost when Conch ends", false},
		{"a copy is left", nil, nothingLost, api.Notice_LEVEL_WARNING, "Nothing is lost", false},
		{"nothing better takes it", []overlay.Spot{shortLived}, nothingLost, api.Notice_LEVEL_ERROR, "They are in /run/conch until", false},
		{"in both", []overlay.Spot{reserve, shortLived}, nil, api.Notice_LEVEL_ERROR, "They are in /run/conch until", false},
		{"in the reserve", []overlay.Spot{reserve}, nil, api.Notice_LEVEL_WARNING, "space that was reserved", false},
		{"well", nil, nil, api.Notice_LEVEL_INFO, "as usual again", true},
	} {
		state, level, text := describeKeeping("/data", c.elsewhere, c.err)
		if level != c.level || !strings.Contains(text, c.says) || (state == "") != c.wellNow {
			t.Errorf("%s: %v %q, state %q", c.name, level, text, state)
		}
	}
}
