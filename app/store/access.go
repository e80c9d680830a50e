package store

import (
	"context"
	"encoding/json"
	"fmt"
)

// What people said that a repository and its clients may do is one setting for each repository.
const accessSetting = "access\n"

// Trust is what people said of a repository's own code.
type Trust string

// The answers; "" is none yet.
const (
	Trusted    Trust = "yes"
	NotTrusted Trust = "no"
)

// Access is what a repository and the clients of its engine may do beyond serving data.
type Access struct {
	Overrides bool  `json:"overrides,omitempty"` // clients may bring configs and files with a load
	Trust     Trust `json:"trust,omitempty"`
}

// Access says what was set with SetAccess; nothing is permitted at first.
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

// SetAccess remembers what a repository and its clients may do.
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
