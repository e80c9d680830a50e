package completed_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"conch/configedit/modelconfig"
	"conch/engine/completed"
)

// key is one that Key could return.
func key(i int) string { return fmt.Sprintf("%064x", i) }

// answer is a completion with everything that may be in one.
func answer(batch int32) *modelconfig.ModelConfig {
	return &modelconfig.ModelConfig{
		MaxBatchSize: batch,
		Input:        []*modelconfig.ModelInput{{Name: "IN", DataType: modelconfig.DataType_TYPE_FP32, Dims: []int64{-1, 3}, Optional: true}},
		Output:       []*modelconfig.ModelOutput{{Name: "OUT", DataType: modelconfig.DataType_TYPE_STRING, Dims: []int64{1}}},
		SchedulingChoice: &modelconfig.ModelConfig_DynamicBatching{
			DynamicBatching: &modelconfig.ModelDynamicBatching{MaxQueueDelayMicroseconds: 1 << 40},
		},
		ModelTransactionPolicy: &modelconfig.ModelTransactionPolicy{Decoupled: true},
	}
}

// clock is a time that a test sets.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func keep(t *testing.T, s *completed.Store, key string, batch int32) {
	t.Helper()
	if err := s.Keep(key, "m", answer(batch)); err != nil {
		t.Fatal(err)
	}
}

// TestKeep: what one process has kept, another finds, with the day of the last run. A failed run removes it.
func TestKeep(t *testing.T) {
	dir, c := filepath.Join(t.TempDir(), "made", "when needed"), &clock{time.Date(2026, 11, 23, 12, 0, 0, 0, time.Local)}
	s := completed.Open(dir, c.now)
	if s.Find(key(1)) != nil {
		t.Error("an answer is found before there is one")
	}
	keep(t, s, key(1), 8)
	got := completed.Open(dir, nil).Find(key(1))
	if got == nil || !proto.Equal(got.Config, answer(8)) || got.Day() != "2026-11-23" {
		t.Fatalf("found %v", got)
	}
	file := filepath.Join(dir, key(1)+".json")
	for path, want := range map[string]os.FileMode{dir: 0o700, file: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", path, info, err, want)
		}
	}
	c.at = c.at.AddDate(0, 0, 1)
	keep(t, s, key(1), 8)
	if next := s.Find(key(1)); next.Day() != "2026-11-24" || next.Same(got) {
		t.Errorf("a day later: %v", next)
	}
	keep(t, s, key(1), 9)
	if got := s.Find(key(1)); got.Config.MaxBatchSize != 9 {
		t.Errorf("another answer: %v", got)
	}
	s.Drop(key(1))
	if s.Find(key(1)) != nil {
		t.Error("found after a failed run")
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestKeepsNothing: without a folder everything works, and nothing is found.
func TestKeepsNothing(t *testing.T) {
	s := completed.Open("", nil)
	keep(t, s, key(1), 1)
	s.Drop(key(1))
	if s.Find(key(1)) != nil {
		t.Error("found")
	}
	dir := t.TempDir()
	s = completed.Open(dir, nil)
	keep(t, s, "", 1)
	if left, _ := os.ReadDir(dir); len(left) > 0 || s.Find("") != nil {
		t.Errorf("without a key: %v", left)
	}
}

// TestDamaged: a damaged file is not an answer, and is removed.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	s := completed.Open(dir, nil)
	file := filepath.Join(dir, key(1)+".json")
	for name, damage := range map[string]func(whole []byte) error{
		"empty": func([]byte) error { return os.WriteFile(file, nil, 0o600) },
		"half":  func(whole []byte) error { return os.WriteFile(file, whole[:len(whole)/2], 0o600) },
		"changed": func(whole []byte) error {
			return os.WriteFile(file, []byte(strings.Replace(string(whole), "IN", "ON", 1)), 0o600)
		},
		"no config": func([]byte) error {
			const sumOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
			return os.WriteFile(file, []byte(`{"config":"","sum":"`+sumOfNothing+`"}`), 0o600)
		},
		"large": func([]byte) error { return os.Truncate(file, 2<<20) },
		"a link": func(whole []byte) error {
			other := filepath.Join(t.TempDir(), "other")
			if err := os.WriteFile(other, whole, 0o600); err != nil {
				return err
			}
			_ = os.Remove(file)
			return os.Symlink(other, file)
		},
	} {
		keep(t, s, key(1), 4)
		whole, err := os.ReadFile(file)
		if err == nil {
			err = damage(whole)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Find(key(1)); got != nil {
			t.Errorf("%s: found %v", name, got)
		}
		if _, err := os.Lstat(file); err == nil {
			t.Errorf("%s: the file is still there", name)
		}
	}
}

// TestBounds: what was not written for a long time goes, and the oldest of too many.
func TestBounds(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, age time.Duration) {
		path := filepath.Join(dir, name)
		at := time.Now().Add(-age)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	for i := range completed.MaxAnswers {
		write(key(i)+".json", time.Duration(i)*time.Second)
	}
	write("draft-abandoned", 2*time.Hour)
	write("draft-new", time.Second)
	write(key(1<<20)+".json", completed.MaxAge+time.Hour)
	s := completed.Open(dir, nil)
	keep(t, s, key(1<<21), 4)
	for name, want := range map[string]bool{
		"draft-abandoned": false, "draft-new": true, key(1<<20) + ".json": false, key(1<<21) + ".json": true,
		key(completed.MaxAnswers-1) + ".json": false, key(completed.MaxAnswers-2) + ".json": true,
	} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: there %v, want %v", name, err == nil, want)
		}
	}
}

// TestTogether: several who write and read at the same time see whole answers alone.
func TestTogether(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 4 {
		s := completed.Open(dir, nil)
		wg.Go(func() {
			for n := range 50 {
				if err := s.Keep(key(1), "m", answer(int32(10*i+n))); err != nil {
					t.Error(err)
				}
				if s.Find(key(1)) == nil {
					t.Error("a whole answer was taken for a damaged one")
				}
			}
		})
	}
	wg.Wait()
}
