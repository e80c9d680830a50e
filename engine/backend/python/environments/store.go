package environments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"conch/engine/filelock"
	"conch/engine/guarded"
	"conch/engine/period"
)

// DefaultTime is how long it may take to make an environment.
const DefaultTime = 30 * time.Minute

// Store keeps environments in a folder.
type Store struct {
	// Dir is the folder. Only its user should be able to write there.
	Dir string
	// Run runs a command until it ends, and ends it and what it has started when ctx ends.
	Run func(ctx context.Context, cmd *exec.Cmd) error
	// Time bounds how long it may take to make one; 0 for DefaultTime.
	Time time.Duration

	uses    guarded.Value[map[string]*filelock.Use] // of the environments that this process uses, by ID
	pythons guarded.Value[map[string]known]
}

// Wanted is an environment that somebody wants.
type Wanted struct {
	Interpreter  string
	Requirements Requirements
	// For says what it is for: "model 'reader'".
	For string
}

// Environment is one that is whole.
type Environment struct {
	ID       string    `json:"id"`       // the name of its folder, which begins with the ID that was wanted
	For      string    `json:"for"`      // what it was made for first
	Packages []string  `json:"packages"` // the lines of its list
	Python   string    `json:"python"`   // "3.11.7"
	Bytes    int64     `json:"bytes"`
	Made     time.Time `json:"made"`
	Used     time.Time `json:"-"`
	Dir      string    `json:"-"`
}

const (
	// wholeName is the file that a whole environment has.
	wholeName = "conch.json"
	// betweenNames is behind the wanted ID in the name of a folder.
	betweenNames = "-"
)

// Interpreter returns the environment's Python.
func (e Environment) Interpreter() (string, error) { return InterpreterIn(e.Dir) }

// InterpreterIn returns the Python of an environment's folder.
func InterpreterIn(dir string) (string, error) {
	if path := pythonIn(dir); path != "" {
		return path, nil
	}
	below, _ := os.ReadDir(dir) // an unreadable folder counts as empty
	for _, e := range below {
		if pythonIn(filepath.Join(dir, e.Name())) != "" {
			return "", fmt.Errorf("the environment %s has no bin/python3; its folder %s has one. Pack what is in that folder, or name it", dir, e.Name())
		}
	}
	return "", fmt.Errorf("the environment %s has no bin/python3", dir)
}

func pythonIn(dir string) string {
	for _, name := range []string{"bin/python3", "bin/python", "Scripts/python.exe"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path
		}
	}
	return ""
}

// Find returns the environment with this ID, or one that was made for it, which is kept as long as this process lives. False when there is
// none, or when the interpreter that it was made with is gone.
func (s *Store) Find(id string) (Environment, bool) {
	for _, name := range s.folders(id) {
		e, err := s.read(name)
		if err == nil {
			_, err = e.Interpreter()
		}
		if err == nil {
			err = s.use(e) // fails when it is being removed
		}
		if err == nil {
			return e, true
		}
	}
	return Environment{}, false
}

// folders are the names of the folders that may be an environment with this ID, whole or not.
func (s *Store) folders(id string) []string {
	names := []string{id}
	paths, _ := filepath.Glob(filepath.Join(s.Dir, id+betweenNames+"*")) // the pattern is well formed
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return names
}

// read reads what an environment says of itself.
func (s *Store) read(id string) (e Environment, err error) {
	dir := filepath.Join(s.Dir, id)
	text, err := os.ReadFile(filepath.Join(dir, wholeName))
	if err != nil {
		return e, err
	}
	if err := json.Unmarshal(text, &e); err != nil {
		return e, err
	}
	info, err := os.Stat(filepath.Join(dir, wholeName))
	if err != nil {
		return e, err
	}
	e.ID, e.Dir, e.Used = id, dir, info.ModTime()
	return e, nil
}

// Make makes the environment with this ID, unless it is there. Where another process makes it already, it waits for that. tell gets what happens, for
// people, and log gets what the tools print.
func (s *Store) Make(ctx context.Context, id string, w Wanted, tell func(string), log *slog.Logger) (Environment, error) {
	limit := s.Time
	if limit <= 0 {
		limit = DefaultTime
	}
	late := fmt.Errorf("it took more than %s", period.Text(limit))
	ctx, cancel := context.WithTimeoutCause(ctx, limit, late)
	defer cancel()
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return Environment{}, err
	}
	turn, err := s.turn(ctx, id, func() { tell("waiting for another load that installs the same packages") })
	if err != nil {
		return Environment{}, err
	}
	defer turn.End()
	if e, there := s.Find(id); there {
		return e, nil
	}
	s.sweep(turn, id)
	s.tidy(ctx, id, time.Now().Add(-keptUnused), log)
	dir, err := turn.Folder(s.Dir, id+betweenNames+"*")
	if err != nil {
		return Environment{}, err
	}
	e, err := s.build(ctx, dir, w, tell, log)
	if err != nil && errors.Is(context.Cause(ctx), late) {
		err = late
	}
	return e, err
}

// build makes an environment in an empty folder, which nobody else knows until it is whole.
func (s *Store) build(ctx context.Context, dir string, w Wanted, tell func(string), log *slog.Logger) (Environment, error) {
	e := Environment{ID: filepath.Base(dir), Dir: dir, For: w.For, Packages: w.Requirements.Lines()}
	whole := false
	defer func() {
		if !whole {
			_ = os.RemoveAll(e.Dir)
		}
	}()
	python, err := s.Python(ctx, w.Interpreter)
	if err != nil {
		return e, err
	}
	t := tool{run: s.Run, tell: tell, log: log, python: python, dir: e.Dir}
	if err := t.make(ctx, w.Requirements); err != nil {
		return e, err
	}
	if other, there := s.Find(wantedOf(e.ID)); there { // another machine, whose turn this one does not see, was faster
		return other, nil
	}
	e.Python, e.Made, e.Bytes = python.Version, time.Now(), size(e.Dir)
	if err := e.write(); err != nil {
		return e, err
	}
	whole = true
	return e, s.use(e)
}

// wantedOf returns the ID that was wanted when an environment was made.
func wantedOf(id string) string {
	wanted, _, _ := strings.Cut(id, betweenNames)
	return wanted
}

// write says that the environment is whole.
func (e Environment) write() error {
	text, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}
	temp := filepath.Join(e.Dir, wholeName+".new")
	if err := os.WriteFile(temp, append(text, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(temp, filepath.Join(e.Dir, wholeName))
}

// turn waits for the turn to make or remove the environments with this wanted ID. waits is called when somebody else has it.
func (s *Store) turn(ctx context.Context, id string, waits func()) (*filelock.Turn, error) {
	return filelock.Take(ctx, filepath.Join(s.Dir, id+".lock"), waits)
}

// size returns the bytes of a folder's files.
func size(dir string) (sum int64) {
	_ = filepath.WalkDir(dir, func(_ string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			if info, err := entry.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil
	})
	return sum
}
