//go:build unix

package app_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
	"conch/app/conversion"
)

// filesOf lists all that is in a folder, with sizes.
func filesOf(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		list = append(list, path+" "+info.ModTime().String())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// trials lists what comparisons left in the temporary folder.
func trials(t *testing.T) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "conch-trial*"))
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// compareIt compares two answers, and returns what it told on the way.
func compareIt(ctx context.Context, t *testing.T, w *window, r *api.CompareAnswersRequest) (out *api.CompareAnswersResponse, steps []string, err error) {
	t.Helper()
	stream, err := w.Try.CompareAnswers(ctx, connect.NewRequest(r))
	if err != nil {
		t.Fatal(err)
	}
	for stream.Receive() {
		if out = stream.Msg(); out.First == nil {
			steps = append(steps, out.Step)
		}
	}
	return out, steps, stream.Err()
}

func compared(t *testing.T, w *window, r *api.CompareAnswersRequest) *api.CompareAnswersResponse {
	t.Helper()
	out, _, err := compareIt(t.Context(), t, w, r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func notCompared(t *testing.T, w *window, r *api.CompareAnswersRequest, code connect.Code) string {
	t.Helper()
	_, _, err := compareIt(t.Context(), t, w, r)
	if connect.CodeOf(err) != code {
		t.Fatalf("%v, want code %v", err, code)
	}
	return err.Error()
}

// Comparisons and conversions take turns, since both are measured. One that waits says so, can be ended, and runs when the other has ended.
func TestOneIsMeasuredAtATime(t *testing.T) {
	data := t.TempDir()
	w := openWith(t, app.Options{Repositories: []string{apptest.CopyExamples(t)}, DataDir: data})
	w.Until(t, "digits is ready", func(s *apptest.Snapshot) bool { return s.State("digits") == api.ModelState_MODEL_STATE_READY })
	other := &conversion.Jobs{Dir: filepath.Join(data, "conversions")} // of another process
	end, err := other.Alone(t.Context(), func(string) error { return errors.New("somebody measures") })
	if err != nil {
		t.Fatal(err)
	}
	request := &api.CompareAnswersRequest{Request: image(5), Provider: "cpu", Runs: 1}
	for _, last := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		stream, err := w.Try.CompareAnswers(ctx, connect.NewRequest(request))
		if err != nil {
			t.Fatal(err)
		}
		if !stream.Receive() || !strings.HasPrefix(stream.Msg().Step, "waiting for the end of another conversion or comparison") {
			t.Errorf("it says %v, %v", stream.Msg(), stream.Err())
		}
		if last {
			end()
		} else {
			cancel()
		}
		var out *api.CompareAnswersResponse
		for stream.Receive() {
			out = stream.Msg()
		}
		if code := connect.CodeOf(stream.Err()); last != (out.GetRuns() == 1) || !last && code != connect.CodeCanceled {
			t.Errorf("the last %v: %v, %v", last, out, stream.Err())
		}
		cancel()
	}
	want := []string{"loading digits once more, on CPU", "sending the request to both in turn"}
	if _, steps, err := compareIt(t.Context(), t, w, request); err != nil || !slices.Equal(steps, want) {
		t.Errorf("alone it says %q, %v", steps, err)
	}
}

// One request, one model, two providers: the model is loaded once more, elsewhere. The repository and the list of models stay as they are, and nothing is
// left of it.
func TestCompareProviders(t *testing.T) {
	t.Setenv("CUDA_VISIBLE_DEVICES", "-1")  // hides the GPUs of the machine that runs the test
	t.Setenv("VK_DRIVER_FILES", os.DevNull) // and what runs Vulkan
	t.Setenv("TMPDIR", t.TempDir())
	w := openExamples(t)
	s := w.Until(t, "all are ready and the driver has answered", func(s *apptest.Snapshot) bool { return apptest.AllReady(s) && s.Engine.GetGpusRead() })
	models, files := len(s.Models), filesOf(t, w.Root)
	var ids []string
	list := apptest.Call(t, w.Try.ListProviders, &api.ListProvidersRequest{Model: "digits"})
	for _, p := range list.Providers {
		ids = append(ids, p.Id)
	}
	if len(list.Absent) != 1 || list.Absent[0].Label != "CUDA and TensorRT" || !strings.Contains(list.Absent[0].Why, "no NVIDIA GPU") || slices.Contains(ids, "cuda") {
		t.Errorf("what is absent: %v", list.Absent)
	}
	if !slices.Contains(ids, "cpu-unoptimized") || slices.Contains(ids, "cpu") || slices.Contains(ids, "coreml") {
		t.Errorf("digits, which is on the CPU, can be compared with itself on %v", ids)
	}
	if list := apptest.Call(t, w.Try.ListProviders, &api.ListProvidersRequest{Model: "read_digit"}).Providers; len(list) > 0 {
		t.Errorf("an ensemble runs on %v", list)
	}

	before := digitsStats(t, s)
	out := compared(t, w, &api.CompareAnswersRequest{Request: image(5), Provider: "cpu-unoptimized", Runs: 5})
	if now := digitsStats(t, s); now != before || !strings.Contains(now, `"inference_count":0`) {
		t.Errorf("the comparison is in the statistics: %s, before it %s", now, before)
	}
	if out.First.Error != "" || out.Second.Error != "" || out.Runs != 5 || out.First.MedianMs <= 0 || out.Second.MedianMs <= 0 {
		t.Fatalf("%v", out)
	}
	for _, side := range []*api.AnswerSide{out.First, out.Second} {
		if side.LowMs <= 0 || side.LowMs > side.MedianMs || side.MedianMs > side.HighMs {
			t.Errorf("the times of %v", side)
		}
	}
	if o := out.Outputs; len(o) != 1 || o[0].Elements != 10 || o[0].SameRows != 1 || o[0].Absolute > 1e-5 {
		t.Errorf("%v", o)
	}
	if out.Second.RunsOn != "ONNX Runtime on CPU, graph not optimized" || out.Second.Model != "digits" || out.Second.Version != "1" || out.First.RunsOn != "ONNX Runtime on CPU" {
		t.Errorf("%v and %v", out.First, out.Second)
	}

	told := notCompared(t, w, &api.CompareAnswersRequest{Request: image(5), Provider: "cuda"}, connect.CodeFailedPrecondition)
	if !strings.Contains(told, "the model was not loaded for the comparison with CUDA: ") || !strings.Contains(told, "no GPUs are available") {
		t.Errorf("CUDA without a GPU: %s", told)
	}
	if slices.Contains(ids, "webgpu") && runtime.GOOS == "linux" {
		noVulkan(t, w)
	}
	notCompared(t, w, &api.CompareAnswersRequest{Request: image(5), Provider: "abacus"}, connect.CodeInvalidArgument)
	sum := apptest.Sum()
	sum.Model = "read_digit"
	if told := notCompared(t, w, &api.CompareAnswersRequest{Request: sum, Provider: "cpu"}, connect.CodeFailedPrecondition); !strings.Contains(told, "only ONNX models have providers") {
		t.Errorf("an ensemble: %s", told)
	}
	s = w.Until(t, "all are ready", apptest.AllReady)
	if now := filesOf(t, w.Root); len(s.Models) != models || !slices.Equal(now, files) || len(trials(t)) > 0 {
		t.Errorf("%d models, files %v, left %v", len(s.Models), now, trials(t))
	}
}

// digitsStats is what the engine tells clients of the requests to digits.
func digitsStats(t *testing.T, s *apptest.Snapshot) string {
	t.Helper()
	reply, err := http.Get("http://" + s.Engine.HttpAddress + "/v2/models/digits/stats")
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// noVulkan compares with WebGPU where nothing runs it: the reason is a sentence, and the library's own words are beside it.
func noVulkan(t *testing.T, w *window) {
	t.Helper()
	_, _, err := compareIt(t.Context(), t, w, &api.CompareAnswersRequest{Request: image(5), Provider: "webgpu"})
	var failed *connect.Error
	if !errors.As(err, &failed) || failed.Code() != connect.CodeFailedPrecondition || !strings.HasPrefix(failed.Message(), "digits was not loaded with WebGPU, which found no graphics adapter") {
		t.Fatalf("WebGPU without Vulkan: %v", err)
	}
	for _, detail := range failed.Details() {
		if value, err := detail.Value(); err == nil {
			if words, ok := value.(*api.LibraryWords); ok && strings.Contains(words.Text, "Failed to get a WebGPU adapter") {
				return
			}
		}
	}
	t.Errorf("its own words are not in %v", failed.Details())
}

// What serves is compared, so files that changed since are loaded first.
func TestComparedFilesAreThoseThatServe(t *testing.T) {
	w := openExamples(t)
	w.Until(t, "all are ready", apptest.AllReady)
	apptest.Call(t, w.Models.SetReload, &api.SetReloadRequest{Name: "digits", Reload: "ask"})
	config := filepath.Join(w.Root, "digits", "config.pbtxt")
	apptest.Write(t, config, strings.Replace(apptest.ReadFile(t, config), "max_batch_size: 32", "max_batch_size: 16", 1))
	w.Until(t, "the files differ", func(s *apptest.Snapshot) bool { return s.Models["digits"].GetFilesChanged() })
	told := notCompared(t, w, &api.CompareAnswersRequest{Request: image(5), Provider: "cpu"}, connect.CodeFailedPrecondition)
	if !strings.Contains(told, "Load it first") {
		t.Errorf("%s", told)
	}
}
