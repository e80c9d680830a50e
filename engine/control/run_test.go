package control_test

import (
	"testing"

	"conch/engine/control"
	"conch/engine/infer"
)

// Until the workbench has reloaded the models of the last run, the server is not ready, and clients get an error that
// tells them to try again.
func TestRestorePending(t *testing.T) {
	for _, namespacing := range []bool{false, true} {
		b := start(t, control.Options{Mode: control.Explicit, RestorePending: true, Namespacing: namespacing}, func(b *bench) {
			b.add(t, "a", "one")
		})
		wantCode := func(name string, want infer.Code) {
			t.Helper()
			if _, err := b.ask(name, infer.Latest); infer.CodeOf(err) != want {
				t.Errorf("%s answers %v, want %s", name, err, want)
			}
		}
		wantCode("a", infer.Unavailable)
		b.load(t, "a")
		b.wantAnswer(t, "a", "one")
		wantCode("nobody", infer.Unavailable)
		if b.Ready() {
			t.Error("ready before everything is restored")
		}
		b.Restored()
		if !b.Ready() {
			t.Error("not ready although everything is restored")
		}
		unknown := infer.NotFound
		if namespacing {
			unknown = infer.InvalidArg // Triton's code there
		}
		wantCode("nobody", unknown)
	}
}
