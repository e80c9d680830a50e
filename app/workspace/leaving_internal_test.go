package workspace

import (
	"context"
	"testing"
	"testing/synctest"

	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/kservepb"
)

// closing is an engine that tells whether it was closed.
type closing struct{ closed bool }

func (*closing) Client() (kservepb.GRPCInferenceServiceClient, error) { return nil, nil }
func (*closing) Sample(context.Context, []string) (*enginepb.SampleResponse, error) {
	return nil, nil
}
func (c *closing) Close() error {
	c.closed = true
	return nil
}

// A server that is left answers the requests that are under way first, unless the repository is left too.
func TestLeavesAfterRequests(t *testing.T) {
	for name, answered := range map[string]bool{"the request is answered": true, "the repository is closed": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				engine := &closing{}
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				d := &side{remote: &Remote{Name: "real"}, engine: engine, leave: func() {}}
				s := &openRepository{w: &Workspace{}, ctx: ctx, side: d}
				_, release, err := (&Stay{s: s}).Hold()
				if err != nil {
					t.Fatal(err)
				}
				s.endAfterRequests(d)
				synctest.Wait()
				if engine.closed {
					t.Error("it was closed while a request was under way")
				}
				if answered {
					release()
				} else {
					stop()
					defer release()
				}
				s.wg.Wait()
				if !engine.closed {
					t.Error("it was not closed")
				}
			})
		})
	}
}
