package workspace

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"conch/app/enginehost"
	"conch/app/language"
	"conch/configedit/modelconfig"
	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/kservepb"
)

// closing is an engine that tells whether it was closed.
type closing struct {
	closed bool
	called func() // is called before the client is returned; nil does nothing
	err    error
}

func (c *closing) Client() (kservepb.GRPCInferenceServiceClient, error) {
	if c.called != nil {
		c.called()
	}
	return nil, c.err
}

func (*closing) Sample(context.Context, []string) (*enginepb.SampleResponse, error) {
	return nil, nil
}
func (c *closing) Close() error {
	c.closed = true
	return nil
}

// A server that is left answers the requests that are under way first, also where the repository is left too, unless the program ends.
func TestLeavesAfterRequests(t *testing.T) {
	for name, answered := range map[string]bool{"the request is answered": true, "the program ends": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				engine := &closing{}
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				d := &side{remote: &Remote{Name: "real"}, engine: engine, leave: func() {}}
				s := &openRepository{w: &Workspace{ctx: ctx}, side: d, local: &side{}}
				held, err := (&Stay{s: s}).Hold()
				if err != nil {
					t.Fatal(err)
				}
				s.closeSides()
				synctest.Wait()
				if engine.closed {
					t.Error("it was closed while a request was under way")
				}
				if answered {
					held.Release()
				} else {
					stop()
					defer held.Release()
				}
				s.w.left.Wait()
				if !engine.closed {
					t.Error("it was not closed")
				}
			})
		})
	}
}

// The connection that is kept is the one whose client a request has, also when another server is shown at that moment.
func TestHoldsTheServerThatIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, next := &side{remote: &Remote{Name: "real"}, leave: func() {}}, &side{remote: &Remote{Name: "other"}}
		s := &openRepository{w: &Workspace{ctx: t.Context()}, side: d}
		engine := &closing{called: func() {
			s.w.mu.Lock()
			s.side = next
			s.w.mu.Unlock()
			s.endAfterRequests(d)
		}}
		d.engine = engine
		held, err := (&Stay{s: s}).Hold()
		if err != nil || held.Key != RemoteKey("real") || !strings.HasPrefix(held.LostAnswer(0), "real ended the connection") {
			t.Fatalf("the request is kept with %v, %v", held, err)
		}
		synctest.Wait()
		if engine.closed {
			t.Error("it was closed while a request was under way")
		}
		held.Release()
		s.w.left.Wait()
		if !engine.closed {
			t.Error("it was not closed")
		}
	})
}

// What is known of the models is that of the server whose client a request has, also when another one is shown at that moment.
func TestHoldsTheModelsThatAreAsked(t *testing.T) {
	configs := map[string]*modelconfig.ModelConfig{"m": {Name: "m"}}
	d := &side{remote: &Remote{Name: "real"}}
	s := &openRepository{w: &Workspace{ctx: t.Context()}, side: d, served: language.Served(configs, nil), running: engineState{models: map[string]*enginepb.Model{"m": {}}}}
	d.engine = &closing{called: func() {
		s.side, s.served, s.running = &side{}, nil, engineState{models: map[string]*enginepb.Model{"other": {}}}
	}}
	held, err := (&Stay{s: s}).Hold()
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	if names, elsewhere := held.Told(); !elsewhere || !slices.Equal(names, []string{"m"}) {
		t.Errorf("the server told of %v, elsewhere is %v", names, elsewhere)
	}
	if _, ok := held.Find("m"); !ok {
		t.Error("its model is not found")
	}
}

// A server that cannot be called is not kept.
func TestHoldsNoServerWithoutClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &closing{err: enginehost.ErrNotReady}
		d := &side{remote: &Remote{Name: "real"}, engine: engine, leave: func() {}}
		s := &openRepository{w: &Workspace{ctx: t.Context()}, side: d}
		if _, err := (&Stay{s: s}).Hold(); !errors.Is(err, enginehost.ErrNotReady) {
			t.Errorf("%v", err)
		}
		s.endAfterRequests(d)
		s.w.left.Wait()
		if !engine.closed {
			t.Error("it was not closed")
		}
	})
}
