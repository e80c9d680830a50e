package enginehost

import (
	"context"
	"fmt"
	"sync"
	"time"

	"google.golang.org/grpc"

	"conch/engine/kserve/enginepb"
)

// silence is how long nothing may be heard of the engine before calls to it are ended and the stream is opened again; it sends a
// heartbeat every two seconds.
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
	restoredAt time.Time // written by restore
	restore    sync.WaitGroup

	pulse       *pulse
	quiet       *time.Timer // rings when nothing was heard for too long
	silentSince time.Time   // zero while something is heard
}

// follow reads events until ctx ends, which it does when the process does.
func (f *follower) follow(ctx context.Context) {
	defer f.restore.Wait()
	f.quiet = time.NewTimer(time.Hour)
	f.quiet.Stop() // only an engine that answered can fall silent: starting may take long
	defer f.quiet.Stop()
	for ctx.Err() == nil {
		f.readStream(ctx)
		_ = wait(ctx, 20*time.Millisecond) // a stream that breaks at once must not spin
	}
}

// readStream reads one stream of events, until it breaks or falls silent.
func (f *follower) readStream(ctx context.Context) {
	// What an event starts outlives the stream that brought it.
	streaming, cancel := context.WithCancel(patiently(ctx))
	events := make(chan *enginepb.Event)
	defer func() { // and the goroutine ends
		cancel()
		for range events {
		}
	}()
	go func() {
		defer close(events)
		stream, err := f.client.Private.Watch(streaming, &enginepb.WatchRequest{}, grpc.WaitForReady(true))
		for err == nil {
			var event *enginepb.Event
			if event, err = stream.Recv(); err == nil {
				events <- event
			}
		}
	}()
	for {
		select {
		case event, ok := <-events:
			if !ok {
				return
			}
			f.beat()
			f.handle(ctx, event)
		case <-f.quiet.C:
			if f.fallSilent() {
				return
			}
		}
	}
}

// beat notes that something was heard.
func (f *follower) beat() {
	f.quiet.Reset(f.host.opts.Silence * shownAt / endedAt)
	if f.silentSince.IsZero() {
		return
	}
	f.silentSince = time.Time{}
	f.pulse.resume()
	f.host.setStatus(f.status, f.client)
}

// Of the silence after which calls are ended, that after which people are told.
const shownAt, endedAt = 2, 5

// fallSilent is when nothing was heard for a while. It is true when the stream must be opened again.
func (f *follower) fallSilent() (again bool) {
	limit := f.host.opts.Silence
	shown := limit * shownAt / endedAt
	if f.silentSince.IsZero() {
		f.silentSince = time.Now().Add(-shown)
		frozen := f.status
		frozen.State, frozen.Reason = Silent, silentReason(f.status.PID)
		f.host.setStatus(frozen, f.client)
		f.quiet.Reset(limit - shown)
		return false
	}
	f.pulse.stop(fmt.Sprintf("The engine has not answered for %g s, so the request was ended. Restart the engine, or try again when it answers.", limit.Seconds()))
	return true
}

// silentReason says what is known of a process that is silent.
func silentReason(pid int) string {
	if stopped, known := processStopped(pid); known && stopped {
		return fmt.Sprintf("The engine (process %d) does not answer: its process was stopped. `kill -CONT %d` lets it go on.", pid, pid)
	}
	return fmt.Sprintf("The engine (process %d) does not answer: it hangs, or the machine is too busy.", pid)
}

func (f *follower) handle(ctx context.Context, event *enginepb.Event) {
	f.host.wanted.note(event)
	if event.Server != nil {
		f.host.noteServer(event.Server)
	}
	first := f.readySince.IsZero()
	if first {
		f.starting.Stop()
		f.readySince = f.host.opts.Now()
		f.host.setStatus(f.status, f.client)
	}
	if !event.Heartbeat {
		f.host.tell(Update{Event: event})
	}
	if first {
		f.restore.Go(func() {
			ctx := patiently(ctx)
			f.setAccess(ctx)
			f.setReload(ctx)
			f.host.wanted.load(ctx, f.client, f.careful)
			f.setRestored(ctx)
			// The answers to the loads may overtake the events that they caused.
			if wait(ctx, eventLag) == nil {
				f.restoredAt = f.host.opts.Now()
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
