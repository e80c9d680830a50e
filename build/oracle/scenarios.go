package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"conch/build/oracle/scenario"
	"conch/engine/kserve/kservepb"
)

//go:embed scenario/python/model.py
var scenarioModel []byte

// playScenarios plays the stories whose names hold a word on the real server, a new one for each, and records what came of them.
func playScenarios(ctx context.Context, venv, folder, only string) error {
	paths, err := filepath.Glob(filepath.Join(folder, "*"+scenario.Extension))
	if err != nil || len(paths) == 0 {
		return fmt.Errorf("no scenarios in %s: %w", folder, os.ErrNotExist)
	}
	var unsteady []string
	for _, path := range paths {
		if !strings.Contains(path, only) {
			continue
		}
		c, err := scenario.Read(path)
		if err != nil {
			return err
		}
		outcome, err := repeated(c.Triton, func() (string, error) { return playOnTriton(ctx, venv, c) })
		var differs differing
		switch {
		case errors.As(err, &differs):
			fmt.Printf("triton: %-34s not recorded: %v\n", c.Name, err)
			unsteady = append(unsteady, c.Name)
			continue
		case err != nil:
			return fmt.Errorf("scenario %s: %w", c.Name, err)
		}
		note := "as recorded"
		if outcome != c.Triton {
			note = "recorded again"
		}
		fmt.Printf("triton: %-34s %s\n", c.Name, note)
		if err := c.Record(outcome); err != nil {
			return err
		}
	}
	if len(unsteady) > 0 {
		return fmt.Errorf("these stories had another outcome each time, and their recordings were left as they are: %s. "+
			"Play them again when the machine has less to do", strings.Join(unsteady, ", "))
	}
	return nil
}

// playOnTriton tells one story on a server of its own.
func playOnTriton(ctx context.Context, venv string, c *scenario.Case) (string, error) {
	work, err := os.MkdirTemp("", "conch-oracle-")
	if err != nil {
		return "", fmt.Errorf("make a folder to work in: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	s := &server{venv: venv, work: work, repository: filepath.Join(work, "models")}
	if err := s.install(); err != nil {
		return "", err
	}
	home, err := s.home()
	if err != nil {
		return "", err
	}
	if err := layModels(c, s.repository, home); err != nil {
		return "", err
	}
	port, err := freePort()
	if err != nil {
		return "", err
	}
	metrics, err := freePort()
	if err != nil {
		return "", err
	}
	s.flags = append([]string{"--cache-directory=" + filepath.Join(home, "caches"), "--exit-on-error=false", "--disable-auto-complete-config", "--allow-grpc=true",
		"--allow-metrics=true", "--allow-gpu-metrics=false", "--metrics-address=127.0.0.1", fmt.Sprintf("--metrics-port=%d", metrics),
		"--grpc-address=127.0.0.1", fmt.Sprintf("--grpc-port=%d", port),
		"--backend-config=python,shm-region-prefix-name=" + filepath.Base(work)}, c.Flags()...)
	for _, model := range c.AtStart() {
		s.flags = append(s.flags, "--load-model="+model)
	}
	if err := s.start(ctx); err != nil {
		return "", err
	}
	defer func() {
		s.stop()
		forget(filepath.Base(work))
	}()
	return playOver(ctx, port, metrics, c)
}

// forget removes the shared memory that a server which is killed leaves behind.
func forget(prefix string) {
	left, _ := filepath.Glob("/dev/shm/" + prefix + "*")
	for _, path := range left {
		_ = os.Remove(path)
	}
}

// layModels writes the repository. A file where Python would keep what it compiled stops that: the folder would have
// changed by being served, and the next load would load it again.
func layModels(c *scenario.Case, root, home string) error {
	const first = "import json\n" // of its imports
	model := strings.Replace(string(scenarioModel), first, lookFor(home)+first, 1)
	if err := c.Lay(root, "model.py", []byte(model)); err != nil {
		return err
	}
	return c.Lay(root, "__pycache__", nil)
}

func playOver(ctx context.Context, port, metrics int, c *scenario.Case) (string, error) {
	conn, err := grpc.NewClient(fmt.Sprintf("127.0.0.1:%d", port), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return "", fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close() }()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	client := kservepb.NewGRPCInferenceServiceClient(conn)
	index, err := client.RepositoryIndex(ctx, &kservepb.RepositoryIndexRequest{})
	if err != nil {
		return "", fmt.Errorf("ask what is loaded: %w", err)
	}
	for _, m := range index.Models {
		if m.State != "READY" && !strings.Contains(c.Script, "load "+m.Name+"\n") {
			return "", fmt.Errorf("the server does not take model %s: %s", m.Name, m.Reason)
		}
	}
	page := func(ctx context.Context) (string, error) {
		return fetch(ctx, fmt.Sprintf("http://127.0.0.1:%d/metrics", metrics))
	}
	return scenario.Play(ctx, scenario.Server{Client: client, Metrics: page}, c.Script)
}

func fetch(ctx context.Context, address string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return string(body), err
}
