package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// finding is what of a diagnostic matters here.
type finding struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Severity string `json:"severity"`
	Code     string `json:"code"`
	Message  string `json:"message"`
	Triton   string `json:"triton"`
	First    bool   `json:"first"`
}

// ask runs `conch check` and sorts what it finds by model.
func ask(ctx context.Context, conch, repository string) (map[string][]finding, error) {
	out, err := exec.CommandContext(ctx, conch, "check", "--format=json", repository).Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return nil, fmt.Errorf("conch check: %w", err)
	}
	var result struct {
		Diagnostics []finding `json:"diagnostics"`
	}
	if err := json.Unmarshal(out, &result); err != nil {
		return nil, fmt.Errorf("read the answer of conch check: %w", err)
	}
	byModel := map[string][]finding{}
	for _, f := range result.Diagnostics {
		file := f.File
		if rel, err := filepath.Rel(repository, f.File); err == nil && filepath.IsAbs(f.File) {
			file = rel
		}
		model, _, _ := strings.Cut(filepath.ToSlash(file), "/")
		byModel[model] = append(byModel[model], f)
	}
	return byModel, nil
}
