package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// server is a running `conch serve` with ports of its own.
type server struct {
	cmd  *exec.Cmd
	http string
	grpc string
	took time.Duration // from exec to ready
	// cache is a data folder of its own.
	cache string
}

const readyLimit = 20 * time.Second

func startServer(ctx context.Context, b bench, repository string, flags ...string) (*server, error) {
	ports, err := freePorts(3)
	if err != nil {
		return nil, err
	}
	args := append([]string{
		"serve", "--model-repository", repository,
		"--http-port", ports[0], "--grpc-port", ports[1], "--metrics-port", ports[2],
	}, flags...)
	s := &server{http: "http://127.0.0.1:" + ports[0], grpc: "127.0.0.1:" + ports[1]}
	s.cmd = exec.CommandContext(ctx, b.binary, args...)
	s.cmd.Stderr = nil
	// What is kept from one measurement must not help the next.
	if s.cache, err = os.MkdirTemp("", "conch-bench-data-"); err != nil {
		return nil, err
	}
	s.cmd.Env = append(os.Environ(), "CONCH_DATA_DIR="+s.cache)
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	if err := s.waitReady(began); err != nil {
		s.stop()
		return nil, err
	}
	s.took = time.Since(began)
	return s, nil
}

func (s *server) waitReady(began time.Time) error {
	client := http.Client{Timeout: time.Second}
	for time.Since(began) < readyLimit {
		if answer, err := client.Get(s.http + "/v2/health/ready"); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		time.Sleep(time.Millisecond)
	}
	return errors.New("the server did not get ready")
}

// stop ends the server and tells how long that took.
func (s *server) stop() time.Duration {
	began := time.Now()
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
	ended := time.Since(began)
	_ = os.RemoveAll(s.cache)
	return ended
}

func freePorts(n int) ([]string, error) {
	var ports []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, fmt.Sprint(l.Addr().(*net.TCPAddr).Port))
	}
	return ports, nil
}

// What smaps_rollup tells of a process: all its memory, with shared pages split among their users, and what is of no file.
const (
	proportional = "Pss:"
	anonymous    = "Anonymous:"
)

// memoryOf is a field of smaps_rollup, in bytes.
func memoryOf(pid int, field string) (uint64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, err
	}
	return smapsField(string(text), field)
}
