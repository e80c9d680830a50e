package enginehost

import (
	"context"
	"sync"
	"time"

	"google.golang.org/grpc"

	"conch/engine/kserve/enginepb"
)

// silence is how long nothing may come before the stream is opened anew; the engine sends a heartbeat every two seconds.
const silence = 15 * time.Second

// eventLag is how much later than an answer an event may come.
const eventLag = 250 * time.Millisecond

// follower passes on the events of one life of the engine.
type follower struct {
	host   *Host
	client *Client
	status Status // to be announced when it answers
	// careful loads models one by one, to learn which of them ends the engine.
	careful    bool
	starting   *time.Timer // ends an engine that does not answer
	readySince time.Time
	restore    sync.WaitGroup
}

// follow reads events until ctx ends, which it does when the process does.
func (f *follower) follow(ctx context.Context) {
	defer f.restore.Wait()
	for ctx.Err() == nil {
		f.readStream(ctx)
		_ = wait(ctx, 20*time.Millisecond) // a stream that breaks at once must not spin
	}
}

// readStream reads one stream of events, until it breaks or falls silent.
func (f *follower) readStream(ctx context.Context) {
	// What an event starts outlives the stream that brought it.
	streaming, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := f.client.Private.Watch(streaming, &enginepb.WatchRequest{}, grpc.WaitForReady(true))
	if err != nil {
		return
	}
	var watchdog *time.Timer
	for {
		event, err := stream.Recv()
		if err != nil {
			return
		}
		if watchdog == nil { // only a stream that began can fall silent: starting may take long
			watchdog = time.AfterFunc(silence, cancel)
			defer watchdog.Stop()
		}
		watchdog.Reset(silence)
		f.handle(ctx, event)
	}
}

func (f *follower) handle(ctx context.Context, event *enginepb.Event) {
	f.host.wanted.note(event)
	if event.Server != nil {
		f.host.noteServer(event.Server)
	}
	first := f.readySince.IsZero()
	if first {
		f.starting.Stop()
		f.readySince = time.Now()
		f.host.setStatus(f.status, f.client)
	}
	if !event.Heartbeat {
		f.host.tell(Update{Event: event})
	}
	if first {
		f.restore.Go(func() {
			f.setAccess(ctx)
			f.setReload(ctx)
			f.host.wanted.load(ctx, f.client, f.careful)
			f.setRestored(ctx)
			// The answers to the loads may overtake the events that they caused.
			if wait(ctx, eventLag) == nil {
				f.host.tell(Update{Restored: true})
			}
		})
	}
}

// setRestored has the engine become ready: what it does not know now, it does not have.
func (f *follower) setRestored(ctx context.Context) {
	if _, err := f.client.Private.Restored(ctx, &enginepb.RestoredRequest{}); err != nil && ctx.Err() == nil {
		f.host.opts.Log.Warn("the engine was not told that its models are restored", "error", err)
	}
}

// setReload tells a new engine what was set for models of the one before. It is told before anything is loaded.
func (f *follower) setReload(ctx context.Context) {
	if f.host.opts.Reload == nil {
		return
	}
	for model, reload := range f.host.opts.Reload() {
		_, err := f.client.Private.SetReload(ctx, &enginepb.SetReloadRequest{Model: model, Reload: reload})
		if err != nil && ctx.Err() == nil {
			f.host.opts.Log.Warn("what happens when files of a model change was not set", "model", model, "error", err)
		}
	}
}
