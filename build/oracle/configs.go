package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
)

// compareConfigs holds the completed config of a model that both take against the one that the server serves.
func (t *trial) compareConfigs(ctx context.Context, model string) (outcome, error) {
	served, err := t.server.config(ctx, model)
	if err != nil {
		return "", err
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, t.conch, "config", "--format=json", filepath.Join(t.server.repository, model))
	cmd.Stderr = &stderr
	own, err := cmd.Output()
	if err != nil {
		fmt.Printf("==== %s: %s\n-- conch config --\n%s", filled, model, stderr.Bytes())
		return filled, nil
	}
	theirs, ours, err := bothConfigs(served, own)
	if err != nil {
		return "", fmt.Errorf("read the config of %s: %w", model, err)
	}
	for _, field := range fields(theirs, ours) {
		if !reflect.DeepEqual(theirs[field], ours[field]) {
			if t.fills(model) {
				return beside, nil
			}
			fmt.Printf("==== %s: %s\n%s: the server serves %s, conch %s\n", filled, model, field, asJSON(theirs[field]), asJSON(ours[field]))
			return filled, nil
		}
	}
	return agree, nil
}

// fills reports whether a Python program of the model completes its config, which only a run can tell.
func (t *trial) fills(model string) bool {
	programs, _ := filepath.Glob(filepath.Join(t.server.repository, model, "*", "model.py"))
	return slices.ContainsFunc(programs, func(program string) bool {
		text, err := os.ReadFile(program)
		return err == nil && bytes.Contains(text, []byte("def auto_complete_config"))
	})
}

func bothConfigs(served, own []byte) (theirs, ours map[string]any, err error) {
	if err := json.Unmarshal(served, &theirs); err != nil {
		return nil, nil, err
	}
	if err := json.Unmarshal(own, &ours); err != nil {
		return nil, nil, err
	}
	for _, config := range []map[string]any{theirs, ours} {
		for _, side := range []string{"input", "output"} {
			sortByName(config[side])
		}
	}
	if steps, ok := ours["ensemble_scheduling"].(map[string]any); ok {
		delete(steps, "max_inflight_requests") // a field of later releases
	}
	return theirs, ours, nil
}

// sortByName sorts tensors: those that the server fills in are in the order of a hash map.
func sortByName(list any) {
	tensors, _ := list.([]any)
	slices.SortStableFunc(tensors, func(a, b any) int { return cmp.Compare(nameOf(a), nameOf(b)) })
}

func nameOf(tensor any) string {
	fields, _ := tensor.(map[string]any)
	name, _ := fields["name"].(string)
	return name
}

// fields are the names in both, sorted.
func fields(a, b map[string]any) (names []string) {
	for _, m := range []map[string]any{a, b} {
		for name := range m {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func asJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
