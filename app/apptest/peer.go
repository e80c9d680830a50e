//go:build unix

package apptest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// Peer is a `conch serve` that stands for a server elsewhere.
type Peer struct {
	GRPC, HTTP, Metrics string // where it listens

	repository string
	flags      []string
	cmd        *exec.Cmd
}

// StartPeer serves a repository, with explicit control where the flags name no other.
func StartPeer(t *testing.T, repository string, flags ...string) *Peer {
	t.Helper()
	p := &Peer{GRPC: FreePort(t), HTTP: FreePort(t), Metrics: FreePort(t), repository: repository, flags: flags}
	p.Start(t)
	t.Cleanup(p.Kill)
	return p
}

// Start serves, at the same ports as before.
func (p *Peer) Start(t *testing.T) {
	t.Helper()
	_, grpc, _ := net.SplitHostPort(p.GRPC)
	_, http, _ := net.SplitHostPort(p.HTTP)
	_, metrics, _ := net.SplitHostPort(p.Metrics)
	args := []string{
		"serve", "--model-repository=" + p.repository,
		"--http-port=" + http, "--grpc-port=" + grpc, "--metrics-port=" + metrics,
	}
	if !slices.ContainsFunc(p.flags, func(flag string) bool { return strings.HasPrefix(flag, "--model-control-mode=") }) {
		args = append(args, "--model-control-mode=explicit", "--load-model=add_sub")
	}
	p.cmd = exec.Command(program, append(args, p.flags...)...)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
}

// Kill ends it at once.
func (p *Peer) Kill() {
	_ = p.cmd.Process.Signal(syscall.SIGCONT)
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// Freeze stops it, so that its ports are open and nobody answers.
func (p *Peer) Freeze(t *testing.T) { p.signal(t, syscall.SIGSTOP) }

// Thaw lets it go on.
func (p *Peer) Thaw(t *testing.T) { p.signal(t, syscall.SIGCONT) }

func (p *Peer) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// FreePort returns an address of this machine that nobody listens on now. Its port is below those that systems give away, since another listener
// of a test could be given it before the server that it is for listens.
func FreePort(t *testing.T) string {
	t.Helper()
	for range 1000 {
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20_000+rand.N(12_000))); err == nil {
			defer func() { _ = l.Close() }()
			return fmt.Sprint(l.Addr())
		}
	}
	t.Fatal("no port is free")
	return ""
}
