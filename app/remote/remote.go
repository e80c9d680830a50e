package remote

import (
	"context"
	"fmt"
	"strings"
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
	// longestWait is the longest time between two attempts to reach a server that is away.
	longestWait = 15 * time.Second
	// endAfter is how long a server may be silent before calls to it are ended.
	endAfter = 15 * time.Second
)

// Server is a server that is followed.
type Server struct {
	opts  Options
	up    func(enginehost.Update)
	conn  *grpc.ClientConn
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

	models models // only the goroutine that asks uses it
}

// Start begins to follow a server and returns at once, also when it does not answer. up is called with
// every update, in order. It must not block for long, and must not call Close.
func Start(opts Options, up func(enginehost.Update)) (*Server, error) {
	if err := opts.Check(); err != nil {
		return nil, err
	}
	s := &Server{opts: opts, up: up, pulse: new(pulse.Pulse), again: make(chan struct{}, 1), models: newModels(), counters: newCounters()}
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
	for ctx.Err() == nil {
		begun := time.Now()
		err := s.ask(pulse.Patiently(ctx))
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			heard, failures = time.Now(), 0
			s.pulse.Resume()
			s.setStatus(enginehost.Status{State: enginehost.Ready})
		} else {
			failures++
			s.lose(heard, err)
		}
		if !s.pause(ctx, waitOf(failures)-time.Since(begun)) {
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
	s.setStatus(enginehost.Status{State: enginehost.Silent, Reason: Reason(err), Since: heard})
	s.models.begin()
	s.mu.Lock()
	s.counters.rebase()
	s.mu.Unlock()
	if time.Since(heard) > endAfter {
		s.pulse.Stop(fmt.Sprintf("%s has not answered for %d s, so the request was ended: %s", s.opts.Name, int(time.Since(heard).Seconds()), Reason(err)))
	}
}

// Reason says for people why a server did not answer.
func Reason(err error) string {
	st := status.Convert(err)
	switch st.Code() {
	case codes.DeadlineExceeded:
		return fmt.Sprintf("no answer came within %g s.", answerFor.Seconds())
	case codes.Unauthenticated, codes.PermissionDenied:
		return "it refuses this client: " + st.Message() + ". Check the headers and the client certificate."
	case codes.Unimplemented:
		return "what answers there is no Triton: " + st.Message() + "."
	}
	return plain(st.Message()) + "."
}

// wrapped are the words that gRPC puts around the error of a connection.
var wrapped = []string{"connection error: ", "desc = ", `"`, "transport: ", "Error while dialing: ", "authentication handshake failed: "}

// plain returns an error of gRPC without these words.
func plain(message string) string {
	text := message
	for _, words := range wrapped {
		text = strings.TrimPrefix(text, words)
	}
	if text != message {
		text = strings.TrimSuffix(text, `"`)
	}
	return text
}

func (s *Server) setStatus(status enginehost.Status) {
	s.mu.Lock()
	same := s.state == status.State && status.State == enginehost.Ready
	s.state = status.State
	s.mu.Unlock()
	if !same {
		s.tell(enginehost.Update{Status: &status})
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
	short, cancel := context.WithTimeout(ctx, answerFor)
	defer cancel()
	index, err := s.calls.RepositoryIndex(short, &kservepb.RepositoryIndexRequest{})
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
	s.models.server = &enginepb.Server{Version: about.Version, Runtime: about.Name, GrpcAddress: s.hostPort(), Ready: true}
	return nil
}

// hostPort is the address as snippets of requests name it.
func (s *Server) hostPort() string {
	_, rest, _ := strings.Cut(s.opts.URL(), "://")
	return rest
}

// count notes the counters. A server without them is followed nevertheless.
func (s *Server) count(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, answerFor)
	defer cancel()
	answer, err := s.calls.ModelStatistics(ctx, &kservepb.ModelStatisticsRequest{})
	if err != nil {
		return // the next answer covers this second too
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counters.note(answer.ModelStats, s.page, s.models.steps(), time.Now())
}
