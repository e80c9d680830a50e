package enginehost

import (
	"context"
	"fmt"
	"sync"
	"time"

	"google.golang.org/grpc"

	"conch/app/pulse"
	"conch/engine/kserve/enginepb"
)

// silence is how long the engine may send nothing before calls to it are ended and the stream is
// opened again. The engine sends a heartbeat every two seconds.
const silence = 15 * time.Second

// eventLag is how much later than an answer its event may arrive.
const eventLag = 250 * time.Millisecond

// follower passes on the events of one run of the engine.
type follower struct {
	host   *Host
	client *client
	status Status // sent when the engine answers
	// careful loads models one by one, to find the one that ends the engine.
	careful    bool
	starting   *time.Timer // ends an engine that does not answer
	readySince time.Time
	restoredAt time.Time // written by restore
	restore    sync.WaitGroup

	pulse       *pulse.Pulse
	quiet       *time.Timer // fires when the engine was silent for too long
	silentSince time.Time   // zero while the engine answers
}

// follow reads events until ctx ends, which happens when the process ends.
func (f *follower) follow(ctx context.Context) {
	defer f.restore.Wait()
	f.quiet = time.NewTimer(time.Hour)
	f.quiet.Stop() // a start may take long, so only an engine that has answered can be silent
	defer f.quiet.Stop()
	for ctx.Err() == nil {
		f.readStream(ctx)
		_ = wait(ctx, 20*time.Millisecond) // so that a stream that breaks at once is not opened in a busy loop
	}
}

// readStream reads one stream of events until it breaks or the engine is silent.
func (f *follower) readStream(ctx context.Context) {
	// What an event starts outlives the stream of the event.
	streaming, cancel := context.WithCancel(pulse.Patiently(ctx))
	events := make(chan *enginepb.Event)
	defer func() { // so that the goroutine ends
		cancel()
		for range events {
		}
	}()
	go func() {
		defer close(events)
		stream, err := f.client.private.Watch(streaming, &enginepb.WatchRequest{}, grpc.WaitForReady(true))
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
		case <-f.host.resend:
			return // a new stream begins with everything
		case <-f.quiet.C:
			if f.fallSilent() {
				return
			}
		}
	}
}

// beat notes a sign of life.
func (f *follower) beat() {
	f.quiet.Reset(f.host.opts.Silence * shownAt / endedAt)
	if f.silentSince.IsZero() {
		return
	}
	f.silentSince = time.Time{}
	f.pulse.Resume()
	f.host.setStatus(f.status, f.client)
}

// Parts of the silence limit: at shownAt of endedAt people are told, at all of it calls are ended.
const shownAt, endedAt = 2, 5

// fallSilent is called when the engine was silent for a while. It returns true when the stream must be
// opened again.
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
	f.pulse.Stop(fmt.Sprintf("The engine has not answered for %g s, so the request was ended. Restart the engine, or try again when it answers.", limit.Seconds()))
	return true
}

// silentReason returns what is known of a silent process.
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
			ctx := pulse.Patiently(ctx)
			f.setAccess(ctx)
			f.setReload(ctx)
			f.host.wanted.load(ctx, f.client, f.careful)
			f.setRestored(ctx)
			// The answers to the loads may arrive before their events.
			if wait(ctx, eventLag) == nil {
				f.restoredAt = f.host.opts.Now()
				f.host.tell(Update{Restored: true})
			}
		})
	}
}

// setRestored makes the engine ready: it does not wait for more models.
func (f *follower) setRestored(ctx context.Context) {
	if _, err := f.client.private.Restored(ctx, &enginepb.RestoredRequest{}); err != nil && ctx.Err() == nil {
		f.host.opts.Log.Warn("the engine could not be told that its models are restored", "error", err)
	}
}

// setReload sends a new engine the reload settings of its models, before anything is loaded.
func (f *follower) setReload(ctx context.Context) {
	if f.host.opts.Reload == nil {
		return
	}
	for model, reload := range f.host.opts.Reload() {
		_, err := f.client.private.SetReload(ctx, &enginepb.SetReloadRequest{Model: model, Reload: reload})
		if err != nil && ctx.Err() == nil {
			f.host.opts.Log.Warn("the reload setting of a model could not be set", "model", model, "error", err)
		}
	}
}
