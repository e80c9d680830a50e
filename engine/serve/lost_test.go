package serve_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/engine/kserve/enginepb"
	"conch/engine/serve"
)

// A GPU that fails ends the process, which says why, at once in its log. Of several reports the first counts.
func TestLostGPUEndsTheProcess(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	p := launch(t, func(f *serve.Flags) { f.LogFile = log }, map[string]string{"a": "one"})
	_, stream := p.watch(t)
	until(t, stream, func(e *enginepb.Event) bool { return e.Server != nil && e.Server.Ready })
	lost := <-p.lost
	lost(1, "CUDA failure 700: an illegal memory access was encountered")
	if text, err := os.ReadFile(log); err != nil || !strings.Contains(string(text), "a GPU failed, and CUDA does nothing more in this process") {
		t.Errorf("the log says %q, %v", text, err)
	}
	lost(2, "CUDA failure 999: unknown error")
	select {
	case err := <-p.ended:
		const want = "GPU 1 failed, and CUDA does nothing more in this process, which therefore ends: CUDA failure 700: an illegal memory access " +
			"was encountered. Start it again; a GPU that the driver has lost is left out then"
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("did not end")
	}
}
