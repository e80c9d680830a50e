package python

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"conch/engine/backend/python/wire"
	"conch/engine/budget"
	"conch/engine/hostpolicy"
	"conch/engine/lastwords"
)

// launch says how a process is started.
type launch struct {
	python   interpreter
	library  string // the folder of our Python code
	memory   uint64 // that a process may allocate; 0 for no limit
	keeper   *keeper
	without  bool    // the packages of the model's requirements.txt, which are not installed
	program  Program // of the backend; the zero Program for a model that brings its own
	settings string  // of the backend, as JSON; "" for none
	maxBatch *int32  // default-max-batch-size, for a program that completes configs; nil for Triton's default
	policy   hostpolicy.Policy
	answers  *budget.Budget // of what the engine copies of what the process sends
}

// receiver gets the frames of a process, one after the other. It must not wait for the process.
type receiver interface {
	received(p *process, h wire.Header, payload []byte) error
	// idle reports whether nothing is expected of the process until it is sent something.
	idle() bool
	// died is called when the process has died and all its frames have been received.
	died()
}

// outputPatience is how long the output of a process that has ended is read when its children still hold it open.
const outputPatience = time.Second

// process is a Python process and the connection to it.
type process struct {
	name   string
	cmd    *exec.Cmd
	conn   *connection
	output *output
	shared *segments
	probe  *net.UnixConn // for questions to is_ready
	breaks *net.UnixConn // says which execution a signal is to end
	keeper *keeper
	mark   mark

	reading *reading

	writing sync.Mutex   // guards writes to conn
	asked   atomic.Int64 // what is being answered

	// failed is why the engine ended the process; the first reason counts.
	failOnce sync.Once
	failed   error
	left     atomic.Bool // it closed its connection and did not end by itself

	started time.Time

	heard  chan struct{}   // closed when no more of its frames are received
	broken bool            // one was damaged, and those behind it were not received; set before heard is closed
	dead   <-chan struct{} // closed when the process and its group have ended: the end of life
	err    error           // why; set before dead is closed

	life context.Context // ends when the process and its group have ended
	die  context.CancelFunc
}

// start starts a process. Its frames go to r.
func (l launch) start(name string, log *slog.Logger, r receiver) (*process, error) {
	ours, theirs, err := socketPairs(connections)
	if err != nil {
		return nil, fmt.Errorf("make a socket: %w", err)
	}
	defer closeAll(theirs)
	p := &process{
		name: name, conn: newConnection(ours[0]), probe: ours[2], breaks: ours[3], output: newOutput(log, l.library), keeper: l.keeper, mark: l.keeper.next(),
		heard: make(chan struct{}),
	}
	p.life, p.die = context.WithCancel(context.Background())
	p.dead = p.life.Done()
	p.reading = newReading(p.conn)
	p.shared = newSegments(ours[1], p.send, l.answers)
	p.cmd = l.command()
	p.cmd.Env = l.variables()
	p.cmd.ExtraFiles = theirs
	p.cmd.Stdout, p.cmd.Stderr = p.output.stream("stdout"), p.output.stream("stderr")
	p.cmd.WaitDelay = outputPatience
	p.cmd.SysProcAttr = ownGroup()
	if err := onSpawner(func() error { return startBound(p.cmd, l.policy) }); err != nil {
		p.close()
		p.die()
		return nil, fmt.Errorf("start %s: %w", p.cmd.Path, err)
	}
	if err := p.mark.put(p.cmd.Process.Pid); err != nil {
		log.Warn("what this model starts in a session of its own may outlive it: this system does not let the server mark the model's process", "error", err)
	}
	l.keeper.begin(l, p.cmd.Process.Pid, log)
	p.started = time.Now()
	go p.read(r)
	go p.wait(r)
	return p, nil
}

// startBound starts a process that is bound as its instance is.
func startBound(cmd *exec.Cmd, policy hostpolicy.Policy) (err error) {
	bound := policy.Do(func() { err = cmd.Start() })
	return cmp.Or(bound, err)
}

// command returns the command that runs our Python code. An environment is activated as in Triton: bash reads its script, and
// becomes Python then.
func (l launch) command() *exec.Cmd {
	if l.python.activation == "" {
		return exec.Command(l.python.path, l.library)
	}
	return exec.Command("bash", "-c", `source "$0" && exec "$@"`, l.python.activation, l.python.path, l.library)
}

// variables are the environment variables of the process: those of the engine, with what activating an environment sets.
func (l launch) variables() []string {
	list := append(os.Environ(), "PYTHONIOENCODING=utf-8")
	if l.maxBatch != nil {
		list = append(list, fmt.Sprintf("%s=%d", maxBatchVariable, *l.maxBatch))
	}
	if l.settings != "" {
		list = append(list, settingsVariable+"="+l.settings)
	}
	if l.python.environment != "" {
		list = append(list, "PATH="+filepath.Dir(l.python.path)+string(os.PathListSeparator)+os.Getenv("PATH"), "VIRTUAL_ENV="+l.python.environment)
	}
	return list
}

// send sends a whole frame.
func (p *process) send(frame []byte) error {
	_, err := p.write(frame)
	return err
}

// write sends a whole frame. begun says, with an error, that the process may have got a part of it.
func (p *process) write(frame []byte) (begun bool, err error) {
	p.writing.Lock()
	defer p.writing.Unlock()
	if news := p.shared.news(); news != nil {
		n, err := (&net.Buffers{news, frame}).WriteTo(p.conn)
		return n > 0, err
	}
	n, err := p.conn.Write(frame)
	return n > 0, err
}

// kill ends the process and all that it has started. why is nil when it ended itself.
func (p *process) kill(why error) {
	p.failOnce.Do(func() { p.failed = why })
	select {
	case <-p.dead:
	default:
		p.killAfterExit(why == nil)
	}
}

// exitPatience is how long a process that has closed its connection may take to end.
const exitPatience = 2 * time.Second

func (p *process) killAfterExit(ended bool) {
	if !ended {
		killGroup(p.cmd.Process.Pid)
		return
	}
	timer := time.AfterFunc(exitPatience, func() {
		p.left.Store(true)
		killGroup(p.cmd.Process.Pid)
	})
	go func() {
		<-p.dead
		timer.Stop()
	}()
}

// wait waits for the end of the process, and ends what is left of its group.
func (p *process) wait(r receiver) {
	pid := p.cmd.Process.Pid
	stopped := func() {
		p.output.log.Warn(fmt.Sprintf("the model's process was stopped by a signal, and answers nothing until `kill -CONT %d`", pid))
	}
	if untilExit(pid, stopped) {
		killGroup(pid)
	}
	killStrays(pid, p.mark)
	p.keeper.ended(pid)
	err := p.cmd.Wait()
	p.output.flush()
	p.failOnce.Do(func() {})
	_ = p.conn.CloseRead() // what has come is read; a stray that holds the other end does not keep the reader
	p.reading.end()
	<-p.heard
	p.close()
	p.err = p.reason(err)
	p.die()
	r.died()
}

// context returns a context that also ends with the process: nobody takes the answer to what it asked for any more.
func (p *process) context(of context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(of)
	apart := context.AfterFunc(p.life, cancel)
	return ctx, func() {
		apart()
		cancel()
	}
}

// connections are those of a process: messages, descriptors of segments, questions to is_ready, which execution to break off. It
// inherits them as its descriptors 3, 4, 5 and 6.
const connections = 4

// socketPairs returns connections and their other ends.
func socketPairs(count int) (ours []*net.UnixConn, theirs []*os.File, err error) {
	for range count {
		one, other, err := socketPair()
		if err != nil {
			closeAll(ours)
			closeAll(theirs)
			return nil, nil, err
		}
		ours, theirs = append(ours, one), append(theirs, other)
	}
	return ours, theirs, nil
}

func closeAll[C io.Closer](list []C) {
	for _, c := range list {
		_ = c.Close()
	}
}

// close closes the connections to the process.
func (p *process) close() {
	_ = p.conn.Close()
	_ = p.probe.Close()
	_ = p.breaks.Close()
	p.shared.close()
}

// reason says why the process has ended.
func (p *process) reason(exit error) error {
	why := p.failed
	switch {
	case why != nil:
	case p.left.Load():
		why = errLeft
	default:
		why = errors.New(exitText(p.cmd.ProcessState, exit))
	}
	if tail := p.output.tail(); tail != "" {
		return fmt.Errorf("%w%s%s", why, lastwords.Between, tail)
	}
	return why
}

// stop asks the process to end, and kills it when it does not.
func (p *process) stop(patience time.Duration) {
	_ = p.conn.SetWriteDeadline(time.Now().Add(patience)) // a process that hangs reads nothing
	p.goOn()                                              // a process that was stopped can finalize too
	err := p.send(wire.Finish(wire.Begin(nil, wire.End, 0)))
	timer := time.NewTimer(patience)
	defer timer.Stop()
	if err == nil {
		select {
		case <-p.dead:
			return
		case <-timer.C:
		}
	}
	p.kill(errStopped)
	<-p.dead
}

var (
	errStopped = errors.New("the engine ended it")
	errLeft    = errors.New("its process closed its connection to the engine and did not end: the engine ended it")
)

// spawner is a thread that lives as long as the engine. A process ends when the thread ends that started it, not only with
// the engine (PR_SET_PDEATHSIG).
var spawner = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

// onSpawner runs f on the spawner.
func onSpawner(f func() error) error {
	done := make(chan error)
	spawner() <- func() { done <- f() }
	return <-done
}
