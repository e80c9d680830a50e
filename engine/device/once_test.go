package device

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestReadOnce(t *testing.T) {
	for name, c := range map[string]struct {
		library *script
		trouble string
		gpus    int
	}{
		"GPUs":      {&script{gpus: 2}, "", 2},
		"no driver": {&script{openErr: errAbsent}, "", 0},
		"mismatch":  {&script{openErr: errors.New("open NVML: mismatch")}, "open NVML: mismatch", 0},
		"lost":      {&script{readErr: errors.New("GPU is lost"), gpus: 1}, "GPU is lost", 0},
	} {
		s := read(t.Context(), c.library, time.Minute)
		if len(s.GPUs) != c.gpus || (s.Trouble == "") != (c.trouble == "") || !strings.Contains(s.Trouble, c.trouble) || s.At.IsZero() {
			t.Errorf("%s: %+v", name, s)
		}
		if opens, closes := c.library.counts(); opens != closes {
			t.Errorf("%s: opened %d times and closed %d times", name, opens, closes)
		}
	}
}

func TestReadingOnceIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &script{hang: make(chan struct{})}
		if s := read(t.Context(), l, 5*time.Second); !strings.Contains(s.Trouble, "does not answer") {
			t.Errorf("%+v", s)
		}
		close(l.hang)
	})
}
