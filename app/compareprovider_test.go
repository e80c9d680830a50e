//go:build unix

package app_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/apptest"
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

// One request, one model, two providers: the model is loaded once more, elsewhere. The repository and the list of models stay as they are, and nothing is
// left of it.
func TestCompareProviders(t *testing.T) {
	t.Setenv("CUDA_VISIBLE_DEVICES", "-1") // hides the GPUs of the machine that runs the test
	t.Setenv("TMPDIR", t.TempDir())
	w := openExamples(t)
	s := w.Until(t, "all are ready", apptest.AllReady)
	models, files := len(s.Models), filesOf(t, w.Root)
	var ids []string
	list := apptest.Call(t, w.Try.ListProviders, &api.ListProvidersRequest{Model: "digits"})
	for _, p := range list.Providers {
		ids = append(ids, p.Id)
	}
	if len(list.Absent) != 2 || list.Absent[0].Label != "CUDA" || !strings.Contains(list.Absent[0].Why, "no NVIDIA GPU") || slices.Contains(ids, "cuda") {
		t.Errorf("what is absent: %v", list.Absent)
	}
	if !slices.Contains(ids, "cpu") || !slices.Contains(ids, "cpu-unoptimized") || slices.Contains(ids, "coreml") {
		t.Errorf("digits runs on %v", ids)
	}
	if list := apptest.Call(t, w.Try.ListProviders, &api.ListProvidersRequest{Model: "read_digit"}).Providers; len(list) > 0 {
		t.Errorf("an ensemble runs on %v", list)
	}

	out := apptest.Call(t, w.Try.CompareAnswers, &api.CompareAnswersRequest{Request: image(5), Provider: "cpu-unoptimized", Runs: 5})
	if out.First.Error != "" || out.Second.Error != "" || out.Runs != 5 || out.First.MedianMs <= 0 || out.Second.MedianMs <= 0 {
		t.Fatalf("%v", out)
	}
	if o := out.Outputs; len(o) != 1 || o[0].Elements != 10 || o[0].SameRows != 1 || o[0].Absolute > 1e-5 {
		t.Errorf("%v", o)
	}
	if out.Second.RunsOn != "ONNX Runtime on CPU, graph not optimized" || out.Second.Model != "digits" || out.Second.Version != "1" || out.First.RunsOn != "ONNX Runtime on CPU" {
		t.Errorf("%v and %v", out.First, out.Second)
	}

	told := apptest.Refused(t, w.Try.CompareAnswers, &api.CompareAnswersRequest{Request: image(5), Provider: "cuda"}, connect.CodeFailedPrecondition)
	if !strings.Contains(told, "the model was not loaded for the comparison with CUDA: ") || !strings.Contains(told, "no GPUs are available") {
		t.Errorf("CUDA without a GPU: %s", told)
	}
	apptest.Refused(t, w.Try.CompareAnswers, &api.CompareAnswersRequest{Request: image(5), Provider: "abacus"}, connect.CodeInvalidArgument)
	sum := apptest.Sum()
	sum.Model = "read_digit"
	if told := apptest.Refused(t, w.Try.CompareAnswers, &api.CompareAnswersRequest{Request: sum, Provider: "cpu"}, connect.CodeFailedPrecondition); !strings.Contains(told, "only ONNX models have providers") {
		t.Errorf("an ensemble: %s", told)
	}
	s = w.Until(t, "all are ready", apptest.AllReady)
	if now := filesOf(t, w.Root); len(s.Models) != models || !slices.Equal(now, files) || len(trials(t)) > 0 {
		t.Errorf("%d models, files %v, left %v", len(s.Models), now, trials(t))
	}
}

// What serves is compared, so files that changed since are loaded first.
func TestComparedFilesAreThoseThatServe(t *testing.T) {
	w := openExamples(t)
	w.Until(t, "all are ready", apptest.AllReady)
	apptest.Call(t, w.Models.SetReload, &api.SetReloadRequest{Name: "digits", Reload: "ask"})
	config := filepath.Join(w.Root, "digits", "config.pbtxt")
	apptest.Write(t, config, strings.Replace(apptest.ReadFile(t, config), "max_batch_size: 32", "max_batch_size: 16", 1))
	w.Until(t, "the files differ", func(s *apptest.Snapshot) bool { return s.Models["digits"].GetFilesChanged() })
	told := apptest.Refused(t, w.Try.CompareAnswers, &api.CompareAnswersRequest{Request: image(5), Provider: "cpu"}, connect.CodeFailedPrecondition)
	if !strings.Contains(told, "Load it first") {
		t.Errorf("%s", told)
	}
}
