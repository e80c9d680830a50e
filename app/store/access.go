package store

import (
	"context"
	"encoding/json"
	"fmt"
)

// The answers about what a repository and its clients may do are one setting for each repository.
const accessSetting = "access\n"

// Trust is a person's answer about a repository's own code.
type Trust string

// The answers. "" means that there is none yet.
const (
	Trusted    Trust = "yes"
	NotTrusted Trust = "no"
)

// Access is what a repository and the clients of its engine may do besides serving data.
type Access struct {
	Overrides bool  `json:"overrides,omitempty"` // clients may send configs and files with a load request
	Trust     Trust `json:"trust,omitempty"`
	StrictGPU bool  `json:"strictGpu,omitempty"` // models that ask for GPUs which are not there are refused
}

// Access returns what SetAccess set; at first nothing is permitted.
func (s *Store) Access(ctx context.Context, repository string) (Access, error) {
	var a Access
	values, err := s.Settings(ctx)
	if err != nil {
		return a, err
	}
	if text := values[accessSetting+repository]; text != "" {
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			return Access{}, fmt.Errorf("read what is permitted in %s: %w", repository, err)
		}
	}
	return a, nil
}

// SetAccess stores what a repository and its clients may do.
func (s *Store) SetAccess(ctx context.Context, repository string, a Access) error {
	value := ""
	if a != (Access{}) {
		text, err := json.Marshal(a)
		if err != nil {
			return fmt.Errorf("write what is permitted: %w", err)
		}
		value = string(text)
	}
	return s.SetSettings(ctx, map[string]string{accessSetting + repository: value})
}
