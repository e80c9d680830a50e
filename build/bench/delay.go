package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"conch/engine/backend/onnx/onnxtest"
)

// delays are max_queue_delay_microseconds of the models of the section; 0 is what the others are held against.
var delays = []time.Duration{0, 50 * time.Microsecond, 100 * time.Microsecond, 500 * time.Microsecond}

func delayed(d time.Duration) string { return fmt.Sprintf("delay_%d", d.Microseconds()) }

// measureDelay has one request in flight, which always waits its model's whole delay for company that does not come.
func measureDelay(ctx context.Context, b bench) error {
	return inTemp(func(dir string) error {
		for _, d := range delays {
			config := addSubConfig + fmt.Sprintf("dynamic_batching { max_queue_delay_microseconds: %d }", d.Microseconds())
			if err := write(dir, model{delayed(d), config, onnxtest.AddSub("n", 16).Bytes()}); err != nil {
				return err
			}
		}
		ours, err := startServer(ctx, b, dir)
		if err != nil {
			return err
		}
		defer ours.stop()
		if b.triton == "" {
			row("beside the real server", "not measured: CONCH_TRITON names no command that runs one")
			return beyond(ctx, ours)
		}
		theirs, err := startTriton(ctx, b.triton, dir)
		if err != nil {
			return err
		}
		defer theirs.stop()
		return errors.Join(beyond(ctx, ours), beside(ctx, ours, theirs))
	})
}

const (
	delayRounds   = 61
	delayRequests = 20 // of a round
)

// beyond prints how much longer than its delay a request waits.
func beyond(ctx context.Context, s *server) error {
	plain, stop := s.asking(ctx, delayed(0))
	defer stop()
	for _, d := range delays[1:] {
		ask, end := s.asking(ctx, delayed(d))
		p, err := inTurn(delayRounds, times(delayRequests, ask), times(delayRequests, plain))
		end()
		if err != nil {
			return err
		}
		most(fmt.Sprintf("a delay of %v, beyond it", d), p.difference/delayRequests-d, 100*time.Microsecond, us,
			us(p.ours/delayRequests)+" a request, without a delay "+us(p.peer/delayRequests))
	}
	return nil
}

// beside prints the rates as shares of the real server's.
func beside(ctx context.Context, ours, theirs *server) error {
	for _, d := range delays[1:] {
		ask, end := ours.asking(ctx, delayed(d))
		peer, endPeer := theirs.asking(ctx, delayed(d))
		p, err := inTurn(delayRounds, times(delayRequests, ask), times(delayRequests, peer))
		end()
		endPeer()
		if err != nil {
			return err
		}
		least(fmt.Sprintf("a delay of %v, beside Triton's rate", d), 1/p.quotient, 1, ratio,
			us(p.ours/delayRequests)+" and "+us(p.peer/delayRequests)+" a request")
	}
	return nil
}

// asking is one request after the other over one connection.
func (s *server) asking(ctx context.Context, model string) (ask func() error, stop func()) {
	clients := &httpClients{address: strings.TrimPrefix(s.http, "http://"), model: model}
	return func() error { return clients.call(ctx) }, clients.close
}

// startTriton runs a command that serves a repository as the real server does, on the ports that its environment names.
func startTriton(ctx context.Context, command, repository string, flags ...string) (*server, error) {
	ports, err := freePorts(3)
	if err != nil {
		return nil, err
	}
	s := &server{http: "http://127.0.0.1:" + ports[0], grpc: "127.0.0.1:" + ports[1], cmd: exec.CommandContext(ctx, command, append([]string{repository}, flags...)...)}
	s.cmd.Env = append(os.Environ(), "HTTP_PORT="+ports[0], "GRPC_PORT="+ports[1], "METRICS_PORT="+ports[2])
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("the real server, CONCH_TRITON: %w", err)
	}
	if err := s.waitReady(began); err != nil {
		s.stop()
		return nil, fmt.Errorf("the real server, %s: %w", command, err)
	}
	return s, nil
}
