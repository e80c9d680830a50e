package control_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/backend"
	"conch/engine/control"
	"conch/engine/infer"
)

// A reload that failed for a temporary reason is retried automatically, at growing intervals. Other failed reloads
// are not retried.
func TestPassingFailureIsTriedAgain(t *testing.T) {
	for reason, again := range map[string]bool{
		syscall.EMFILE.Error(): true, syscall.ENFILE.Error(): true, syscall.ENOMEM.Error(): true, syscall.EIO.Error(): true,
		"Load model from m.onnx failed:system error number 24": true,
		"Load model from m.onnx failed:system error number 51": false, "Protobuf parsing failed": false,
	} {
		for name, o := range following {
			synctest.Test(t, func(t *testing.T) {
				var fails atomic.Int64
				b := start(t, o, func(b *bench) {
					b.add(t, "a", "one")
					b.fake.OnLoad = func(context.Context, backend.Spec) error {
						if fails.Add(-1) >= 0 {
							return infer.Errorf(infer.Internal, "open the model: %s", reason)
						}
						return nil
					}
				})
				fails.Store(4)
				b.dir.Write(t, "a/1/model.fake", "two")
				b.dir.Look()
				told := fmt.Sprint(b.happenings(t, control.ReloadFailed))
				time.Sleep(6900 * time.Millisecond) // after 1, 2 and 4 seconds
				synctest.Wait()
				b.wantAnswer(t, "a", "one")
				time.Sleep(8200 * time.Millisecond) // and 8
				synctest.Wait()
				want := map[bool]string{true: "two", false: "one"}[again]
				if got, err := b.ask("a", infer.Latest); err != nil || got != want {
					t.Errorf("%s, %s: a answers %q, %v; want %q; told %s", name, reason, got, err, want, told)
				}
				if s, _ := b.Status("a"); (s.LoadError == "") != again {
					t.Errorf("%s, %s: status says %q", name, reason, s.LoadError)
				}
			})
		}
	}
}
