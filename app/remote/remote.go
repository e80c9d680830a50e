package remote

import (
	"context"
	"fmt"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"conch/app/enginehost"
	"conch/app/pulse"
	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/kservepb"
)

const (
	// askEvery is how often a server that answers is asked for its models and counters.
	askEvery = time.Second
	// answerFor is how long it may take. A slow link has a few round trips in it.
	answerFor = 3 * time.Second
	// longestAnswer is how long a server may take that answered nothing in shorter times: it may have a
	// very long list of models.
	longestAnswer = 24 * time.Second
	// longestWait is the longest time between two attempts to reach a server that is away.
	longestWait = 15 * time.Second
	// endAfter is how long a server may be silent before calls to it are ended.
	endAfter = 15 * time.Second
)

// Server is a server that is followed.
type Server struct {
	opts  Options
	up    func(enginehost.Update)
	conn  road
	calls kservepb.GRPCInferenceServiceClient
	pulse *pulse.Pulse
	stop  context.CancelFunc
	done  sync.WaitGroup
	again chan struct{} // has a value when it should be asked at once

	upMu sync.Mutex // held while up runs

	mu       sync.Mutex // guards the rest
	state    enginehost.State
	counters counters
	page     page // what its metrics said last

	// Only the goroutine that asks uses these.
	models   models
	patience time.Duration // how long an answer may take now
	away     bool          // the last question had no answer
	ending   *time.Timer   // ends the calls of people once it has been silent for long
}

// Start begins to follow a server and returns at once, also when it does not answer. up is called with
// every update, in order. It must not block for long, and must not call Close.
func Start(opts Options, up func(enginehost.Update)) (*Server, error) {
	if err := opts.Check(); err != nil {
		return nil, err
	}
	s := &Server{opts: opts, up: up, pulse: new(pulse.Pulse), again: make(chan struct{}, 1), models: newModels(), counters: newCounters(), patience: answerFor, ending: time.NewTimer(0)}
	var err error
	if s.conn, err = opts.dial(s.pulse); err != nil {
		return nil, err
	}
	s.calls = kservepb.NewGRPCInferenceServiceClient(s.conn)
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.done.Go(func() { s.follow(ctx) })
	if at, err := opts.metricsURL(); err == nil && at != nil {
		s.done.Go(func() { s.readMetrics(ctx, at) })
	} else {
		s.tell(enginehost.Update{Metrics: &enginehost.Metrics{Trouble: "no metrics page is named"}})
	}
	return s, nil
}

// Close ends the calls to the server, and waits for what follows it.
func (s *Server) Close() error {
	s.stop()
	err := s.conn.Close()
	s.done.Wait()
	if err != nil {
		return fmt.Errorf("leave %s: %w", s.opts.Name, err)
	}
	return nil
}

// Client returns a client of the server, also while it does not answer: the call says why it fails.
func (s *Server) Client() (kservepb.GRPCInferenceServiceClient, error) { return s.calls, nil }

// Retry asks the server at once, however long the wait would still be.
func (s *Server) Retry() {
	select {
	case s.again <- struct{}{}:
	default:
	}
}

// Sample returns the newest counters. It does not wait for the server.
func (s *Server) Sample(context.Context, []string) (*enginepb.SampleResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != enginehost.Ready || !s.counters.begun {
		return nil, fmt.Errorf("%w: %s does not answer", enginehost.ErrNotReady, s.opts.Name)
	}
	return s.counters.sample(s.page), nil
}

// follow asks the server until ctx ends.
func (s *Server) follow(ctx context.Context) {
	heard, failures := time.Now(), 0
	defer func() { s.ending.Stop() }()
	for ctx.Err() == nil {
		begun := time.Now()
		err := s.ask(pulse.Patiently(ctx))
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			heard, failures = time.Now(), 0
			s.patience = max(answerFor, min(2*time.Since(begun), longestAnswer))
			s.ending.Stop()
			s.pulse.Resume()
			s.setStatus(enginehost.Status{State: enginehost.Ready})
		} else {
			failures++
			s.lose(heard, s.opts.refusal(ctx, err))
			if status.Code(err) == codes.DeadlineExceeded {
				s.patience = min(2*s.patience, longestAnswer)
			}
		}
		if !s.pause(ctx, restOf(waitOf(failures), time.Since(begun))) {
			return
		}
	}
}

// waitOf returns the time between two questions: longer and longer for a server that is away.
func waitOf(failures int) time.Duration {
	if failures == 0 {
		return askEvery
	}
	return min(askEvery<<min(failures, 10), longestWait)
}

// restOf returns how long to rest after a question that took so long. A server with very many models is
// asked more seldom, so that the questions take no more than half of its time and ours.
func restOf(wait, took time.Duration) time.Duration {
	if took > wait/2 {
		return max(wait-took, took)
	}
	return wait - took
}

// pause waits, unless somebody wants it at once. It returns false when ctx has ended.
func (s *Server) pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
	case <-s.again:
	}
	return true
}

// lose notes that the server did not answer. Calls to it are ended once that has lasted.
func (s *Server) lose(heard time.Time, err error) {
	s.setStatus(enginehost.Status{State: enginehost.Silent, Reason: Reason(err, s.patience), Since: heard})
	s.models.begin()
	s.mu.Lock()
	s.counters.rebase()
	s.mu.Unlock()
	why := Reason(err, s.patience)
	s.ending.Stop()
	s.ending = time.AfterFunc(time.Until(heard.Add(endAfter)), func() {
		s.pulse.Stop(fmt.Sprintf("%s has not answered for %d s, so the request was ended: %s", s.opts.Name, int(time.Since(heard).Seconds()), why))
	})
}

func (s *Server) setStatus(now enginehost.Status) {
	s.mu.Lock()
	same := s.state == now.State && now.State == enginehost.Ready
	s.state = now.State
	s.mu.Unlock()
	if !same {
		s.tell(enginehost.Update{Status: &now})
	}
}

// tell sends one update at a time.
func (s *Server) tell(u enginehost.Update) {
	s.upMu.Lock()
	defer s.upMu.Unlock()
	s.up(u)
}

// ask asks for everything that may have changed.
func (s *Server) ask(ctx context.Context) error {
	s.conn.ResetConnectBackoff() // how often it is tried is decided here
	short, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	if s.away { // over gRPC, the first call on a connection that failed fails too, before the connection is made again
		if err := s.opts.reach(short); err != nil {
			return err
		}
	}
	index, err := indexOf(short, s.calls, grpc.WaitForReady(s.away))
	s.away = err != nil
	if err != nil {
		return err
	}
	if err := s.greet(short); err != nil {
		return err
	}
	if event := s.models.note(index.Models, time.Now()); event != nil {
		s.tell(enginehost.Update{Event: event})
	}
	s.count(ctx)
	s.readConfigs(ctx)
	return nil
}

// greet asks once after each silence what the server is.
func (s *Server) greet(ctx context.Context) error {
	if s.models.server != nil {
		return nil
	}
	about, err := s.calls.ServerMetadata(ctx, &kservepb.ServerMetadataRequest{})
	if err != nil {
		return err
	}
	s.models.server = &enginepb.Server{Version: shortened(about.Version), Runtime: shortened(about.Name), Ready: true}
	switch at, err := s.opts.address(); {
	case err != nil:
		return err
	case at.isHTTP():
		s.models.server.HttpAddress = at.hostPort() + at.path
	default:
		s.models.server.GrpcAddress = at.hostPort()
	}
	return nil
}

// count notes the counters. A server without them is followed nevertheless.
func (s *Server) count(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	answer, err := s.calls.ModelStatistics(ctx, &kservepb.ModelStatisticsRequest{})
	if err != nil {
		return // the next answer covers this second too
	}
	now := time.Now()
	s.mu.Lock()
	again := s.counters.note(answer.ModelStats, s.page, s.models.steps(), now)
	s.mu.Unlock()
	if event := s.models.noteLoads(again, now); event != nil {
		s.tell(enginehost.Update{Event: event})
	}
}
