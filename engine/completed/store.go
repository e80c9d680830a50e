package completed

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"conch/configedit/modelconfig"
	"conch/engine/userdir"
)

// The bounds of a store.
const (
	// MaxAnswers is how many answers are kept. A few more may be there until the next tidying.
	MaxAnswers = 4096
	// MaxAge is how long an answer is kept after its last run.
	MaxAge = 90 * 24 * time.Hour
	// maxBytes bounds a file.
	maxBytes = 1 << 20
	// tidyEvery is after how many answers the store is tidied again.
	tidyEvery = 256
	// draftLife is the age at which a file that is being written counts as abandoned.
	draftLife = time.Hour
)

const (
	ending = ".json"
	draft  = "draft-"
)

// Answer is what a program answered.
type Answer struct {
	// Config has the fields that a backend may complete, and no others.
	Config *modelconfig.ModelConfig
	// Ran is the day of the last run with this answer.
	Ran time.Time
}

// Same reports whether two answers say the same; either may be nil.
func (a *Answer) Same(b *Answer) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Day() == b.Day() && proto.Equal(a.Config, b.Config)
}

// Day returns the day of the last run, as 2026-11-23.
func (a *Answer) Day() string { return a.Ran.Local().Format(time.DateOnly) }

// Store is a folder of answers. A nil Store keeps and finds nothing. It is safe for concurrent use.
type Store struct {
	dir string
	now func() time.Time

	mu   sync.Mutex
	kept int // since the process began
}

// Usual returns the store of this user; nil where nothing can be kept.
func Usual() *Store {
	cache := userdir.Cache()
	if cache == "" {
		return nil
	}
	return Open(filepath.Join(cache, "completed"), nil)
}

// Open returns the store in a folder, which is made when it is first needed. With "" it returns nil. now is the clock; nil
// means the system's.
func Open(dir string, now func() time.Time) *Store {
	if dir == "" {
		return nil
	}
	if now == nil {
		now = time.Now
	}
	return &Store{dir: dir, now: now}
}

// file is the content of an answer's file.
type file struct {
	Model  string    `json:"model"` // for people who look into the folder
	Ran    time.Time `json:"ran"`
	Config string    `json:"config"`
	Sum    string    `json:"sum"` // of Config
}

// Find returns the answer of a key, or nil.
func (s *Store) Find(key string) *Answer {
	if s == nil || key == "" {
		return nil
	}
	path := s.path(key)
	content, err := readFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	answer, damaged := decode(content)
	if err != nil || damaged {
		_ = os.Remove(path) // a file that stays is ignored again
		return nil
	}
	return answer
}

func readFile(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxBytes:
		return nil, fmt.Errorf("%s is not the file of an answer", path)
	}
	return os.ReadFile(path)
}

func decode(content []byte) (answer *Answer, damaged bool) {
	var f file
	if err := json.Unmarshal(content, &f); err != nil || f.Sum != sumOf([]byte(f.Config)) {
		return nil, true
	}
	cfg, err := modelconfig.UnmarshalJSON([]byte(f.Config))
	if err != nil {
		return nil, true
	}
	return &Answer{Config: cfg, Ran: f.Ran}, false
}

// Keep keeps the answer of a run that has just ended. completion has the fields that a backend may complete, and no others.
func (s *Store) Keep(key, model string, completion *modelconfig.ModelConfig) error {
	if s == nil || key == "" {
		return nil
	}
	now := &Answer{Config: completion, Ran: s.now()}
	if now.Same(s.Find(key)) {
		return nil
	}
	config, err := modelconfig.MarshalJSON(completion)
	if err != nil {
		return err
	}
	content, err := json.Marshal(file{Model: model, Ran: now.Ran.UTC(), Config: string(config), Sum: sumOf(config)})
	if err != nil || len(content) > maxBytes {
		return err
	}
	if err := s.write(key, content); err != nil {
		return fmt.Errorf("keep what auto_complete_config of model '%s' answered: %w", model, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept%tidyEvery == 0 {
		s.tidy()
	}
	s.kept++
	return nil
}

// write writes a file for this user alone, whole or not at all.
func (s *Store) write(key string, content []byte) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(s.dir, draft) // with the permissions 0600
	if err != nil {
		return err
	}
	_, err = temp.Write(content)
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(temp.Name(), s.path(key))
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}
	return err
}

// Drop removes the answer of a key: the last run failed.
func (s *Store) Drop(key string) {
	if s != nil && key != "" {
		_ = os.Remove(s.path(key)) // it is rarely there
	}
}

// tidy removes what is too old, and the oldest of too many.
func (s *Store) tidy() {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	type kept struct {
		name string
		at   time.Time
	}
	var all []kept
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue // another process removed it
		}
		age := s.now().Sub(info.ModTime())
		isDraft := strings.HasPrefix(e.Name(), draft)
		switch {
		case isDraft && age > draftLife, age > MaxAge:
			_ = os.Remove(filepath.Join(s.dir, e.Name()))
		case !isDraft:
			all = append(all, kept{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b kept) int { return b.at.Compare(a.at) })
	for _, k := range all[min(MaxAnswers, len(all)):] {
		_ = os.Remove(filepath.Join(s.dir, k.name))
	}
}

func (s *Store) path(key string) string { return filepath.Join(s.dir, key+ending) }

func sumOf(config []byte) string {
	sum := sha256.Sum256(config)
	return hex.EncodeToString(sum[:])
}
