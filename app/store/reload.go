package store

import (
	"context"
	"encoding/json"
	"fmt"
)

// The answers about what happens when the files of a model change, by model, are one setting for each
// repository.
const reloadSetting = "reload\n"

// Reload returns, for each model of a repository, what SetReload set: "on-save", "ask" or "off".
func (s *Store) Reload(ctx context.Context, repository string) (map[string]string, error) {
	values, err := s.Settings(ctx)
	if err != nil {
		return nil, err
	}
	set := map[string]string{}
	if text := values[reloadSetting+repository]; text != "" {
		if err := json.Unmarshal([]byte(text), &set); err != nil {
			return nil, fmt.Errorf("read what reloads by itself in %s: %w", repository, err)
		}
	}
	return set, nil
}

// SetReload stores what happens when the files of a model change; "" removes it.
func (s *Store) SetReload(ctx context.Context, repository, model, reload string) error {
	s.reloadMu.Lock()
	defer s.reloadMu.Unlock()
	set, err := s.Reload(ctx, repository)
	if err != nil {
		return err
	}
	set[model] = reload
	if reload == "" {
		delete(set, model)
	}
	value := ""
	if len(set) > 0 {
		text, err := json.Marshal(set)
		if err != nil {
			return fmt.Errorf("write what reloads by itself: %w", err)
		}
		value = string(text)
	}
	return s.SetSettings(ctx, map[string]string{reloadSetting + repository: value})
}
