package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"conch/engine/backend/onnx/onnxtest"
)

func measureMany(ctx context.Context, b bench) error {
	if err := inTemp(func(dir string) error { return loadMany(ctx, b, dir) }); err != nil {
		return err
	}
	return inTemp(func(dir string) error { return listMany(ctx, b, dir) })
}

// loadMany starts a server on a thousand models.
func loadMany(ctx context.Context, b bench, dir string) error {
	graph := onnxtest.AddSub("batch", 16).Bytes()
	for i := range 1000 {
		if err := write(dir, model{fmt.Sprint("m", i), addSubConfig, graph}); err != nil {
			return err
		}
	}
	var ready, ends []time.Duration
	for range 3 {
		s, err := startServer(ctx, b, dir)
		if err != nil {
			return err
		}
		ready = append(ready, s.took)
		ends = append(ends, s.stop())
	}
	most("1,000 small models: start to ready", median(ready), 5*time.Second, ms, "stopped in "+ms(median(ends)))
	return nil
}

// listMany asks a server in explicit mode what there is.
func listMany(ctx context.Context, b bench, dir string) error {
	for i := range 10_000 {
		if err := write(dir, model{fmt.Sprint("m", i), addSubConfig, []byte("onnx")}); err != nil {
			return err
		}
	}
	s, err := startServer(ctx, b, dir, "--model-control-mode", "explicit")
	if err != nil {
		return err
	}
	defer s.stop()
	list, err := took(3, func() error {
		answer, err := http.Post(s.http+"/v2/repository/index", "application/json", nil)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("the index answered %s", answer.Status)
		}
		_, err = io.Copy(io.Discard, answer.Body)
		return err
	})
	if err != nil {
		return err
	}
	most("10,000 models: start to ready", s.took, time.Second, ms, "explicit mode, disk warm")
	most("10,000 models: listed", list, time.Second, ms)
	return nil
}
