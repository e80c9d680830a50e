package enginehost

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"conch/app/userfile"
	"conch/configedit/modelconfig"
	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/kservepb"
)

// State is the state of the engine as a whole.
type State uint8

// The states.
const (
	Starting   State = iota
	Ready            // it answers
	Restarting       // it ended unexpectedly and is being started again
	Stopped          // it was closed, or could not be started
	Silent           // its process runs, and does not answer
)

// Status is the engine's state and its cause.
type Status struct {
	State    State
	Reason   string // a sentence; "" while all is well
	PID      int    // 0 when there is no process
	Restarts uint32
	Asked    bool // a person asked for the restart
	// Since is when a server elsewhere was heard last; zero while it answers, and for the own engine.
	Since time.Time
}

// Metrics says what is known of the figures of a server elsewhere.
type Metrics struct {
	Quantiles  bool   // its percentiles are those that it computes; otherwise they are of means of each second
	Histograms bool   // its percentiles are estimated from its histograms
	Trouble    string // why its metrics page cannot be read; "" when it can
}

// Update is a change of the engine. One field is set.
type Update struct {
	Status *Status         // the new status
	Event  *enginepb.Event // of the engine itself
	// Configs are what a server elsewhere serves models with, by their names: those that changed.
	Configs map[string]*modelconfig.ModelConfig
	Metrics *Metrics // of a server elsewhere
	// Restored: everything that a start loads has been loaded, or has failed to load.
	Restored bool
}

// client calls a running engine.
type client struct {
	kserve  kservepb.GRPCInferenceServiceClient
	private enginepb.EngineClient
}

// ErrNotReady means that there is no client; the text says why.
var ErrNotReady = errors.New("the engine is not running")

// Options say what to run. Repositories is required.
type Options struct {
	// Command is the program with its first arguments; this executable and "serve" when empty.
	Command      []string
	Repositories []string
	Ports        Ports
	Log          *slog.Logger
	// Reload returns the reload settings of models that differ from the engine's own setting. It is
	// called at each start; nil for none.
	Reload func() map[string]string
	// Access returns what the engine permits. It is called at each start; nil for nothing.
	Access func() Access
	// Accelerator returns the execution accelerator of ONNX models that name none and are on no GPU of NVIDIA, such as "webgpu"; "" for the
	// processor. It is called at each start; nil for the processor.
	Accelerator func() string
	// After is closed when the first engine may start. Nil starts it at once.
	After <-chan struct{}
	// Silence is how long a running engine may send nothing before calls to it are ended. People are
	// told earlier. 0 means 15 s.
	Silence time.Duration
	// Wait waits between restarts; by the clock when nil.
	Wait func(ctx context.Context, d time.Duration) error
	// Now is the clock that measures how long an engine served; the system's when nil.
	Now func() time.Time
}

// Host is an engine that is kept running.
type Host struct {
	opts Options
	up   func(Update)
	dir  *userfile.Scratch
	logs *Logs
	stop context.CancelFunc
	done chan struct{}
	// again requests another run of the engine.
	again chan struct{}
	// resend requests the state of everything again.
	resend chan struct{}

	// mu guards what the supervisor publishes.
	mu     sync.Mutex
	status Status
	client *client
	bound  Ports // where the engine listens, or listened last

	wanted wanted

	// upMu is held while up runs.
	upMu sync.Mutex
}

// Start begins to run an engine and returns at once. up is called with every update, in order. It must
// not block for long, and must not call Close.
func Start(opts Options, up func(Update)) (*Host, error) {
	if len(opts.Command) == 0 {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find the program to run as engine: %w", err)
		}
		opts.Command = []string{self, "serve"}
	}
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	if opts.Silence <= 0 {
		opts.Silence = silence
	}
	if opts.Wait == nil {
		opts.Wait = wait
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	dir, err := socketDir()
	if err != nil {
		return nil, fmt.Errorf("make a folder for the engine's socket: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	h := &Host{opts: opts, up: up, dir: dir, logs: newLogs(), stop: stop, done: make(chan struct{}), again: make(chan struct{}, 1), resend: make(chan struct{}, 1)}
	h.wanted.pending = map[string]bool{}
	go h.supervise(ctx)
	return h, nil
}

// Close ends the engine and waits for it.
func (h *Host) Close() error {
	h.stop()
	<-h.done
	if err := h.dir.Remove(); err != nil {
		return fmt.Errorf("remove the engine's socket: %w", err)
	}
	return nil
}

// Restart ends the engine in any state, and starts another that loads what was loaded. It returns at
// once.
func (h *Host) Restart() {
	select {
	case h.again <- struct{}{}:
	default: // a restart is requested already
	}
}

// Status returns the newest status.
func (h *Host) Status() Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.status
}

// Resend has the engine tell the state of everything again, as at its start. It returns at once.
func (h *Host) Resend() {
	select {
	case h.resend <- struct{}{}:
	default: // it is requested already
	}
}

// Client returns a client of the running engine, or an error that wraps ErrNotReady and says why there
// is none.
func (h *Host) Client() (kservepb.GRPCInferenceServiceClient, error) {
	c, err := h.calls()
	if err != nil {
		return nil, err
	}
	return c.kserve, nil
}

// Private returns a client of what Conch's own engine tells beyond Triton's protocol. It fails as
// Client does.
func (h *Host) Private() (enginepb.EngineClient, error) {
	c, err := h.calls()
	if err != nil {
		return nil, err
	}
	return c.private, nil
}

// Sample returns the engine's counters, and what these models hold of the memory.
func (h *Host) Sample(ctx context.Context, memoryOf []string) (*enginepb.SampleResponse, error) {
	c, err := h.calls()
	if err != nil {
		return nil, err
	}
	return c.private.Sample(ctx, &enginepb.SampleRequest{MemoryOf: memoryOf})
}

func (h *Host) calls() (*client, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.client != nil {
		return h.client, nil
	}
	switch h.status.State {
	case Restarting:
		return nil, fmt.Errorf("%w: Conch starts it again. %s", ErrNotReady, h.status.Reason)
	case Stopped:
		return nil, fmt.Errorf("%w: it was stopped. %s", ErrNotReady, h.status.Reason)
	}
	return nil, fmt.Errorf("%w yet: it is being started", ErrNotReady)
}

// LogLines returns the newest log lines of all runs of the engine, oldest first, of one model or of all.
func (h *Host) LogLines(model string, limit int) []Line { return h.logs.Lines(model, limit) }

func (h *Host) setStatus(s Status, client *client) {
	h.mu.Lock()
	h.status, h.client = s, client
	h.mu.Unlock()
	h.tell(Update{Status: &s})
}

// noteServer notes where the engine listens.
func (h *Host) noteServer(s *enginepb.Server) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bound = boundPorts(s)
}

func (h *Host) lastPorts() Ports {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bound
}

// tell sends one update at a time.
func (h *Host) tell(u Update) {
	h.upMu.Lock()
	defer h.upMu.Unlock()
	h.up(u)
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
