package faults_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/kserve/kservepb"
)

const running = `backend: "onnxruntime" max_batch_size: 4
input [{ name: "INPUT" data_type: TYPE_INT32 dims: [1] }]
output [{ name: "OUTPUT" data_type: TYPE_INT32 dims: [1] }, { name: "WHO" data_type: TYPE_INT64 dims: [1] }, { name: "THERE" data_type: TYPE_INT32 dims: [1] }]
sequence_batching {
  max_sequence_idle_microseconds: 200000
  control_input [
    { name: "START" control [{ kind: CONTROL_SEQUENCE_START int32_false_true: [0, 1] }] },
    { name: "READY" control [{ kind: CONTROL_SEQUENCE_READY int32_false_true: [0, 1] }] },
    { name: "CORRID" control [{ kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_INT64 }] }
  ]
  state [{ input_name: "SUM" output_name: "SUM_NEXT" data_type: TYPE_INT32 dims: [1] }]
}
`

// TestSoak works a server from all sides: requests batched and not, an ensemble, sequences that are ended and others that
// are forgotten, clients that go away, requests that are wrong, loads and unloads, loads that fail. What it holds in memory
// and in open files must not grow.
func TestSoak(t *testing.T) {
	f := begin(t)
	repository := t.TempDir()
	write(t, repository, "m/1/model.onnx", adder(1))
	write(t, repository, "m/config.pbtxt", []byte("backend: \"onnxruntime\"\nmax_batch_size: 8\ndynamic_batching { }\n"))
	write(t, repository, "e/config.pbtxt", []byte(chain))
	write(t, repository, "e/1/.keep", nil)
	write(t, repository, "running/config.pbtxt", []byte(running))
	write(t, repository, "running/1/model.onnx", onnxtest.Running().Bytes())
	write(t, repository, "reloaded/1/model.onnx", adder(2))
	write(t, repository, "broken/1/model.onnx", adder(2)[:100])
	s := serve(t, repository, "--model-control-mode=explicit", "--load-model=*")
	w := &work{server: s, fault: f, done: map[string]*atomic.Int64{}}
	ctx, stop := f.time()
	defer stop()
	w.each(ctx, t, map[string]func(context.Context, int32) error{
		"batched": w.batched, "ensemble": w.ensemble, "sequence": w.sequence, "forgotten sequence": w.forgotten,
		"cancelled": w.cancelled, "wrong": w.wrong, "reload": w.reload, "failed load": w.failedLoad,
	})
	w.measure(ctx, t)
	w.clients.Wait()
	w.report(t)
}

// work is what a soak does and measures.
type work struct {
	*server
	*fault
	done    map[string]*atomic.Int64
	clients sync.WaitGroup
	samples []sample
}

// sample is what the process holds at a moment.
type sample struct {
	resident int64 // bytes
	files    int
}

// each does every kind of work again and again, side by side.
func (w *work) each(ctx context.Context, t *testing.T, kinds map[string]func(context.Context, int32) error) {
	for name, once := range kinds {
		count := &atomic.Int64{}
		w.done[name] = count
		w.clients.Go(func() {
			for n := int32(1); ctx.Err() == nil; n++ {
				if err := once(context.WithoutCancel(ctx), n); err != nil {
					w.lose("%s: %v", name, err)
					return
				}
				count.Add(1)
			}
		})
	}
}

func (w *work) batched(ctx context.Context, n int32) error {
	_, err := w.add(ctx, "m", n)
	return err
}

func (w *work) ensemble(ctx context.Context, n int32) error {
	_, err := w.add(ctx, "e", n)
	return err
}

// sequence is of three requests, the last with END.
func (w *work) sequence(ctx context.Context, n int32) error { return w.speak(ctx, int64(n)*2, 3, true) }

// forgotten never ends; the server forgets it after a while. Its slots are few, so it goes slowly.
func (w *work) forgotten(ctx context.Context, n int32) error {
	return w.speak(ctx, int64(n)*2+1, 2, false)
}

func (w *work) speak(ctx context.Context, id int64, requests int, ends bool) error {
	for i := range requests {
		_, err := w.ModelInfer(ctx, &kservepb.ModelInferRequest{
			ModelName: "running",
			Parameters: map[string]*kservepb.InferParameter{
				"sequence_id":    {ParameterChoice: &kservepb.InferParameter_Int64Param{Int64Param: id}},
				"sequence_start": {ParameterChoice: &kservepb.InferParameter_BoolParam{BoolParam: i == 0}},
				"sequence_end":   {ParameterChoice: &kservepb.InferParameter_BoolParam{BoolParam: ends && i == requests-1}},
			},
			Inputs:           []*kservepb.ModelInferRequest_InferInputTensor{{Name: "INPUT", Datatype: "INT32", Shape: []int64{1, 1}}},
			RawInputContents: [][]byte{number(1)},
		})
		if err != nil && !strings.Contains(status.Convert(err).Message(), "must specify the START flag") { // it was too slow
			return err
		}
	}
	return nil
}

// cancelled goes away before or after the answer.
func (w *work) cancelled(ctx context.Context, n int32) error {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(n%5)*200*time.Microsecond)
	defer cancel()
	if _, err := w.add(ctx, "e", n); err != nil && status.Code(err) != codes.DeadlineExceeded && status.Code(err) != codes.Canceled {
		return err
	}
	return nil
}

// wrong must be refused.
func (w *work) wrong(ctx context.Context, n int32) error {
	_, err := w.ModelInfer(ctx, &kservepb.ModelInferRequest{ModelName: []string{"m", "nobody", "e"}[n%3], ModelVersion: []string{"", "7"}[n%2]})
	if err == nil {
		return fmt.Errorf("request %d was answered", n)
	}
	<-time.After(time.Millisecond)
	return nil
}

func (w *work) reload(ctx context.Context, _ int32) error {
	if _, err := w.RepositoryModelUnload(ctx, &kservepb.RepositoryModelUnloadRequest{ModelName: "reloaded"}); err != nil {
		return err
	}
	if _, err := w.RepositoryModelLoad(ctx, &kservepb.RepositoryModelLoadRequest{ModelName: "reloaded"}); err != nil {
		return err
	}
	_, err := w.add(ctx, "reloaded", 1)
	<-time.After(5 * time.Millisecond)
	return err
}

func (w *work) failedLoad(ctx context.Context, _ int32) error {
	_, err := w.RepositoryModelLoad(ctx, &kservepb.RepositoryModelLoadRequest{ModelName: "broken"})
	if err == nil {
		return fmt.Errorf("half a model was loaded")
	}
	<-time.After(5 * time.Millisecond)
	return nil
}

// measure looks at the process a hundred times.
func (w *work) measure(ctx context.Context, t *testing.T) {
	ticker := time.NewTicker(share / 100)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.ended:
			t.Fatalf("the engine has ended\n%s", w.log.tail())
		case <-ticker.C:
			w.samples = append(w.samples, look(t, w.cmd.Process.Pid))
		}
	}
}

// look asks Linux.
func look(t *testing.T, pid int) (s sample) {
	var pages, resident int64
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(string(text), &pages, &resident); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	return sample{resident: resident * int64(os.Getpagesize()), files: len(files)}
}

// report holds the last fifth of the samples against the second: by then everything has been done many times.
func (w *work) report(t *testing.T) {
	fifth := len(w.samples) / 5
	early, late := middle(w.samples[fifth:2*fifth]), middle(w.samples[4*fifth:])
	const mebibyte = 1 << 20
	w.note("after %v: %d MiB, %d files; before, at a fifth to two fifths: %d MiB, %d files", share.Round(time.Second),
		late.resident/mebibyte, late.files, early.resident/mebibyte, early.files)
	for name, count := range w.done {
		w.throw(name, int(count.Load()))
		if count.Load() == 0 {
			t.Errorf("nothing was done: %s", name)
		}
	}
	if late.resident > early.resident+early.resident/10+16*mebibyte {
		t.Errorf("memory grew from %d to %d MiB", early.resident/mebibyte, late.resident/mebibyte)
	}
	if late.files > early.files+8 {
		t.Errorf("open files grew from %d to %d", early.files, late.files)
	}
}

// middle is the median of each.
func middle(samples []sample) sample {
	resident := slices.SortedFunc(slices.Values(samples), func(a, b sample) int { return int(a.resident - b.resident) })
	files := slices.SortedFunc(slices.Values(samples), func(a, b sample) int { return a.files - b.files })
	return sample{resident: resident[len(resident)/2].resident, files: files[len(files)/2].files}
}
