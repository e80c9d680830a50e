package wire

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Common are the flags of a server that plays the cases without flags of their own.
var Common = []string{
	"--model-control-mode=explicit", "--load-model=*", "--exit-on-error=false", "--http-header-forward-pattern=x-fwd",
	"--grpc-header-forward-pattern=x-fwd", "--cache-config=local,size=1048576", "--metrics-config=summary_latencies=true",
	"--trace-config=triton,file=trace.json", "--allow-gpu-metrics=false", "--exit-timeout-secs=1",
}

// conchAlone are flags with which Conch does what Triton 24.10 does without any.
var conchAlone = []string{"--allow-client-shm=true", "--allow-external-paths"}

// Program is a server that can be started: Conch's, or the real one, which a command serves (CONCH_TRITON).
type Program struct {
	Path string
	Real bool
}

// Running is a server that was started.
type Running struct {
	Server
	// Opens are the ports that it opened: "http", "grpc", "metrics". A server that ended has none.
	Opens []string

	cmd  *exec.Cmd
	done chan struct{}
}

// Start starts a server on a repository, and waits until its ports are open or it has ended. Its log is a file.
func (p Program) Start(ctx context.Context, repository, log string, flags []string) (*Running, error) {
	out, err := os.Create(log)
	if err != nil {
		return nil, fmt.Errorf("make the log of the server: %w", err)
	}
	defer func() { _ = out.Close() }()
	ports, err := freePorts()
	if err != nil {
		return nil, err
	}
	r := &Running{Server: Server{HTTP: local(ports[0]), GRPC: local(ports[1]), Metrics: local(ports[2])}, done: make(chan struct{})}
	r.cmd = p.command(ctx, repository, ports, flags)
	r.cmd.Dir, r.cmd.Stdout, r.cmd.Stderr = filepath.Dir(log), out, out
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := r.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.Path, err)
	}
	go func() {
		defer close(r.done)
		_ = r.cmd.Wait()
	}()
	r.waitOpen(ctx)
	return r, ctx.Err()
}

func (p Program) command(ctx context.Context, repository string, ports []int, flags []string) *exec.Cmd {
	names := []string{"HTTP_PORT", "GRPC_PORT", "METRICS_PORT"}
	if p.Real {
		cmd := exec.CommandContext(ctx, p.Path, append([]string{repository}, flags...)...)
		cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
		for i, name := range names {
			cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%d", name, ports[i]))
		}
		return cmd
	}
	all := append([]string{"serve", "--model-repository=" + repository}, conchAlone...)
	for i, name := range names {
		all = append(all, fmt.Sprintf("--%s=%d", strings.ReplaceAll(strings.ToLower(name), "_", "-"), ports[i]))
	}
	cmd := exec.CommandContext(ctx, p.Path, append(all, flags...)...)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	return cmd
}

// settled is how long after the first port the others are open; a server that has them all off never opens one.
const settled = 2 * time.Second

// waitOpen waits until a port is open and the others had time to be.
func (r *Running) waitOpen(ctx context.Context) {
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	limit := time.After(time.Minute)
	var last <-chan time.Time
	for {
		r.Opens = nil
		for _, port := range []struct{ name, address string }{{"http", r.HTTP}, {"grpc", r.GRPC}, {"metrics", r.Metrics}} {
			if open(port.address) {
				r.Opens = append(r.Opens, port.name)
			}
		}
		if len(r.Opens) == 3 {
			return
		}
		if len(r.Opens) > 0 && last == nil {
			last = time.After(settled)
		}
		select {
		case <-look.C:
		case <-last:
			return
		case <-r.done:
			r.Opens = nil
			return
		case <-limit:
			return
		case <-ctx.Done():
			return
		}
	}
}

// open tells whether a server listens. A connection to a port where nobody listens may by chance be made from this very
// port, and then it is one with itself.
func open(address string) bool {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }()
	return conn.LocalAddr().String() != conn.RemoteAddr().String()
}

// Ended tells whether the server has ended.
func (r *Running) Ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// told does what a case does with the server's process: "stop" tells it to end, "ended" waits until it has and gives its code.
func (r *Running) told(ctx context.Context, verb string) (string, error) {
	switch {
	case r == nil:
		return "", fmt.Errorf("only a case with flags has a process to %s", verb)
	case verb == "stop":
		return "it is told to end\n", syscall.Kill(r.cmd.Process.Pid, syscall.SIGTERM)
	}
	select {
	case <-r.done:
		return fmt.Sprintf("ends with %d\n", r.cmd.ProcessState.ExitCode()), nil
	case <-time.After(patience):
		return "has not ended\n", nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Stop ends the server, with what it started.
func (r *Running) Stop() {
	_ = syscall.Kill(r.cmd.Process.Pid, syscall.SIGTERM)
	select {
	case <-r.done:
	case <-time.After(15 * time.Second):
	}
	_ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL)
	<-r.done
	left, _ := filepath.Glob(fmt.Sprintf("/dev/shm/*_%d*", r.cmd.Process.Pid)) // of a server that died
	for _, path := range left {
		_ = os.Remove(path)
	}
}

func local(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// Below the ports from which connections are made on Linux, so that no connection of any program takes one before the server
// does.
const lowestPort, portCount = 20_000, 12_000

// freePorts finds three ports that nobody uses.
func freePorts() (free []int, err error) {
	for tries := 0; len(free) < 3; tries++ {
		listener, failed := net.Listen("tcp", local(lowestPort+rand.IntN(portCount)))
		switch {
		case failed == nil:
			defer func() { err = errors.Join(err, listener.Close()) }() // after the last one is found, so that no two are the same
			free = append(free, listener.Addr().(*net.TCPAddr).Port)
		case tries > 1000:
			return nil, fmt.Errorf("find a free port: %w", failed)
		}
	}
	return free, nil
}
