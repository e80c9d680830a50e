package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const reloadRuns = 9

// measureReload saves a changed max_batch_size and asks until the served config shows it.
func measureReload(ctx context.Context, b bench) error {
	dir, err := copyRepository(b.repository)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	repository := filepath.Join(dir, "repository")
	s, err := startServer(ctx, b, repository, "--model-control-mode", "poll")
	if err != nil {
		return err
	}
	defer s.stop()

	config := filepath.Join(repository, "add_sub", "config.pbtxt")
	text, err := os.ReadFile(config)
	if err != nil {
		return err
	}
	var took []time.Duration
	for i := range reloadRuns {
		size := 16 + i
		changed := strings.Replace(string(text), "max_batch_size: 8", fmt.Sprintf("max_batch_size: %d", size), 1)
		began := time.Now()
		if err := os.WriteFile(config, []byte(changed), 0o644); err != nil {
			return err
		}
		if err := waitConfig(s.http, fmt.Sprintf(`"max_batch_size":%d,`, size)); err != nil {
			return err
		}
		took = append(took, time.Since(began))
	}
	row("add_sub", "%s (median of %d), slowest %s", ms(median(took)), reloadRuns, ms(quantile(took, 1)))
	return nil
}

func waitConfig(address, wanted string) error {
	for began := time.Now(); time.Since(began) < readyLimit; time.Sleep(time.Millisecond) {
		answer, err := http.Get(address + "/v2/models/add_sub/config")
		if err != nil {
			return err
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil {
			return err
		}
		if strings.Contains(strings.ReplaceAll(string(body), " ", ""), wanted) {
			return nil
		}
	}
	return errors.New("the saved config was never served")
}
