//go:build unix

package rpc_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"conch/app/api"
	"conch/app/apptest"
)

// TestTextSequence: the control of correlation IDs tells whether they are texts, and the config how long a sequence waits.
func TestTextSequence(t *testing.T) {
	w := apptest.OpenExamples(t)
	want := map[string]bool{"STRING": true, "UINT64": false}
	waits := map[string]uint64{"STRING": 15_000_000, "UINT64": 1_000_000} // a second where the config gives no time
	given := map[string]string{"STRING": "max_sequence_idle_microseconds: 15000000"}
	for typ := range want {
		dir := filepath.Join(w.Root, typ)
		config := fmt.Sprintf(`backend: "python" sequence_batching { %s control_input [
			{ name: "start" control { kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ] } },
			{ name: "id" control { kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_%s } } ] }`, given[typ], typ)
		if err := os.MkdirAll(filepath.Join(dir, "1"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "config.pbtxt"), []byte(config), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w.Until(t, "the models are there", func(s *apptest.Snapshot) bool { return len(s.Models) == 6 })
	for typ, text := range want {
		m := apptest.Call(t, w.Models.GetModel, &api.GetModelRequest{Name: typ})
		if !m.NeedsSequence || m.TextSequence != text {
			t.Errorf("%s: needs a sequence %v, of texts %v", typ, m.NeedsSequence, m.TextSequence)
		}
		if m.SequenceIdleUs != waits[typ] {
			t.Errorf("%s: a sequence waits %d µs, not %d", typ, m.SequenceIdleUs, waits[typ])
		}
	}
}
