package trial

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"conch/configedit/modelconfig"
)

// TestManyTrials: there are two trials at a time, others wait for their end, and one that fails takes no place.
func TestManyTrials(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	e := &Engines{}
	o := Order{Config: &modelconfig.ModelConfig{Name: "m"}, Dir: filepath.Join(t.TempDir(), "gone"), Version: 1}
	for range 2 * mostAtOnce {
		if _, err := e.Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), "read the folder of m") {
			t.Fatal(err)
		}
	}
	var give []func()
	for range 2 {
		one, err := e.take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		give = append(give, one)
	}
	left, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Start(left, o); !errors.Is(err, context.Canceled) {
		t.Errorf("with two others: %v", err)
	}
	give[0]()
	if _, err := e.Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), "read the folder of m") {
		t.Errorf("with one other: %v", err)
	}
}
