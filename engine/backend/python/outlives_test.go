package python_test

import (
	"context"
	"encoding/binary"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"conch/engine/backend"
	"conch/engine/backend/python"
	"conch/engine/infer"
	"conch/engine/model"
	"conch/engine/tensor"
)

// diary is a model that writes into the file "diary" beside it what it begins, then waits for the file "go" where its name is 1, and
// answers with twice its name.
const diary = `
import os
import pathlib
import signal
import time

import triton_python_backend_utils as pb_utils

HERE = pathlib.Path(__file__).parent


class TritonPythonModel:
    def execute(self, requests):
        name, what = requests[0].inputs()[0].as_numpy()[0, :2]
        with open(HERE / "diary", "a") as file:
            file.write(f"{int(name)} ")
        while name == 1 and not (HERE / "go").exists():
            time.sleep(0.001)
        if what == 1:
            os._exit(7)
        elif what == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        elif what == 3:
            while not (HERE / "end").exists():
                time.sleep(0.001)
            os._exit(7)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", requests[0].inputs()[0].as_numpy() * 2)])]
`

const diaryConfig = "backend: \"python\"\nmax_batch_size: 8\ninput [{ name: \"IN\" data_type: TYPE_FP32 dims: [2] }]\n" +
	"output [{ name: \"OUT\" data_type: TYPE_FP32 dims: [2] }]\ninstance_group [{ kind: KIND_CPU count: 1 }]\n"

const (
	exits      = 1
	killed     = 2
	exitsLater = 3 // when the file "end" is there
)

// served is a model that the engine serves, whose instances are known.
type served struct {
	*model.Version
	dir       string
	instances chan backend.Instance
}

// knowing is a backend whose instances are known.
type knowing struct {
	backend.Backend
	instances chan backend.Instance
}

func (k knowing) Load(ctx context.Context, spec backend.Spec) (backend.Model, error) {
	m, err := k.Backend.Load(ctx, spec)
	return known{m, k.instances}, err
}

type known struct {
	backend.Model
	instances chan backend.Instance
}

func (k known) NewInstance(ctx context.Context, spec backend.InstanceSpec) (backend.Instance, error) {
	in, err := k.Model.NewInstance(ctx, spec)
	k.instances <- in
	return in, err
}

// serve serves the diary.
func serve(t *testing.T) *served {
	dir := filepath.Join(t.TempDir(), "m")
	s := &served{dir: filepath.Join(dir, "1"), instances: make(chan backend.Instance, 8)}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s.write(t, "model.py", diary)
	l := &model.Loader{Backends: map[string]backend.Backend{"python": knowing{newBackend(t), s.instances}}, Log: slog.New(slog.DiscardHandler)}
	definition, err := l.Define(model.Source{Name: "m", Dir: dir, ConfigPath: filepath.Join(dir, "config.pbtxt"), ConfigText: []byte(diaryConfig)})
	if err != nil {
		t.Fatal(err)
	}
	if s.Version, err = l.Load(t.Context(), definition, model.VersionDir{Number: 1, Dir: s.dir}, func(string) {}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *served) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// begun returns what the model has begun, in order.
func (s *served) begun() []string {
	text, _ := os.ReadFile(filepath.Join(s.dir, "diary"))
	return strings.Fields(string(text))
}

// until waits until the model has begun a request.
func (s *served) until(t *testing.T, name string) {
	t.Helper()
	for late := time.Now().Add(20 * time.Second); !slices.Contains(s.begun(), name); time.Sleep(time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("the model has begun %v, not %s", s.begun(), name)
		}
	}
}

// asked is a request and what came of it.
type asked struct {
	over    chan struct{}
	answers []float32 // the first element of each
	timings infer.Timings
	err     error
}

func (s *served) ask(ctx context.Context, name, what float32) *asked {
	a := &asked{over: make(chan struct{})}
	x := floats("IN", 2, 0)
	for i, value := range []float32{name, what} {
		binary.LittleEndian.PutUint32(x.Data[4*i:], math.Float32bits(value))
	}
	go func() {
		defer close(a.over)
		a.err = s.Infer(ctx, &infer.Request{Model: "m", Version: infer.Latest, Batch: 1, Inputs: []tensor.Tensor{x}}, func(r *infer.Response) error {
			a.answers = append(a.answers, math.Float32frombits(binary.LittleEndian.Uint32(r.Outputs[0].Data)))
			a.timings = r.Timings
			return nil
		})
	}()
	return a
}

// pending waits until so many requests wait.
func (s *served) pending(t *testing.T, want int64) {
	t.Helper()
	waitUntil(t, func() bool { return s.Counters().Snapshot().Pending == want })
}

// Requests that were sent to a process which dies before it begins them run in the next one, each once, in any order. The one that ran
// fails.
func TestRequestsAheadOutliveTheProcess(t *testing.T) {
	for what, why := range map[float32]string{exits: "its process ended with exit status 7", killed: "its process was ended by signal 9"} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			s := serve(t)
			first := s.ask(t.Context(), 1, what)
			s.until(t, "1")
			second, third := s.ask(t.Context(), 2, 0), s.ask(t.Context(), 3, 0)
			s.pending(t, 2)
			s.write(t, "go", "")
			if <-first.over; first.err == nil || !strings.Contains(strings.ToLower(first.err.Error()), why) {
				t.Errorf("the one that ran: %v", first.err)
			}
			for i, a := range []*asked{second, third} {
				if <-a.over; a.err != nil || !slices.Equal(a.answers, []float32{float32(4 + 2*i)}) || a.timings.Queue < time.Second {
					t.Errorf("request %d: %v, %v, waited %v", 2+i, a.answers, a.err, a.timings.Queue)
				}
			}
			begun := s.begun()
			if slices.Sort(begun[1:]); !slices.Equal(begun, []string{"1", "2", "3"}) || len(s.instances) != 2 {
				t.Errorf("%d processes have begun %v", len(s.instances), begun)
			}
			if c := s.Counters().Snapshot(); c.Success != 2 || c.Executions != 3 || c.Failed() != 1 || c.Pending != 0 {
				t.Errorf("counted: %+v", c)
			}
		})
	}
}

// The process dies while it runs a request whose client left before that had begun. The engine believed then that the one behind it had
// begun, which it had not: that runs in the next process.
func TestRequestBehindOneForNobodyOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	s := serve(t)
	first := s.ask(t.Context(), 1, 0)
	s.until(t, "1")
	ctx, leave := context.WithCancel(t.Context())
	second := s.ask(ctx, 2, exitsLater)
	s.pending(t, 1)
	third := s.ask(t.Context(), 3, 0)
	s.pending(t, 2)
	in := <-s.instances
	entered(t, in, 3)
	release := python.HoldMessages(in)
	leave()
	waitUntil(t, func() bool { return python.Left(in) })
	s.write(t, "go", "")
	s.until(t, "2")
	if <-first.over; first.err != nil {
		t.Error(first.err)
	}
	s.pending(t, 1) // the second, which cannot say that its client left
	s.write(t, "end", "")
	<-in.(backend.Mortal).Died()
	s.pending(t, 2) // for the next process
	release()
	if <-second.over; infer.CodeOf(second.err) != infer.Cancelled {
		t.Errorf("the one whose client left: %v", second.err)
	}
	if <-third.over; third.err != nil || !slices.Equal(third.answers, []float32{6}) || third.timings.Queue < time.Second {
		t.Errorf("the one behind it: %v, %v, waited %v", third.answers, third.err, third.timings.Queue)
	}
	if !slices.Equal(s.begun(), []string{"1", "2", "3"}) {
		t.Errorf("the processes have begun %v", s.begun())
	}
	if c := s.Counters().Snapshot(); c.Success != 2 || c.Executions != 2 || c.Pending != 0 {
		t.Errorf("counted: %+v", c)
	}
}
