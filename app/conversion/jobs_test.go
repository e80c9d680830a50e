//go:build unix

package conversion_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"conch/app/api"
	"conch/app/conversion"
	"conch/app/runtimecmd"
	"conch/configedit/modelconfig"
	"conch/repo/write"
)

// TestManyConversions: they run one at a time, also those of another process. Another one says that it waits, and runs when the first has ended.
func TestManyConversions(t *testing.T) {
	source, err := model(t, onnx, "1/model.onnx")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "converts")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho '{\"step\":\"begun\"}'\nexec cat\n"), 0o700); err != nil { // until it is stopped
		t.Fatal(err)
	}
	jobs := &conversion.Jobs{Program: runtimecmd.Program(program), Dir: t.TempDir()}
	elsewhere := &conversion.Jobs{Program: jobs.Program, Dir: jobs.Dir}
	run := func(ctx context.Context, jobs *conversion.Jobs, each func(step string) error) error {
		_, err := jobs.Run(ctx, conversion.Order{Source: source, ConversionOrder: &api.ConversionOrder{Target: "fp16"}}, func(e *api.ConversionEvent) error { return each(e.Step) })
		return err
	}
	ctx, cancel := context.WithCancel(t.Context())
	begun, ended := make(chan struct{}), make(chan error)
	go func() {
		ended <- run(ctx, jobs, func(string) error { begun <- struct{}{}; return nil })
	}()
	<-begun
	enough := errors.New("enough")
	for _, jobs := range []*conversion.Jobs{jobs, elsewhere} {
		if err := run(t.Context(), jobs, func(step string) error {
			if !strings.Contains(step, "waiting for the end of another conversion") {
				t.Errorf("the second one is told %q", step)
			}
			return enough
		}); !errors.Is(err, enough) {
			t.Error(err)
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := run(t.Context(), elsewhere, func(step string) error {
		if step != "begun" {
			t.Errorf("when the other has ended it is told %q", step)
		}
		return enough
	}); !errors.Is(err, enough) {
		t.Error(err)
	}
	if entries, err := os.ReadDir(jobs.Dir); err != nil || len(entries) > 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

// converted makes conversions with a program that writes a model of so many bytes, and much else beside it.
func converted(t *testing.T, bytes string) (*conversion.Jobs, func(conversion.Source) *conversion.Result) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "converts")
	script := "#!/bin/sh\nfor dir; do :; done\nmkdir -p $dir/work/made && truncate -s " + bytes + " $dir/work/made/model.onnx && truncate -s 9G $dir/work/answers && echo '{\"report\":{}}'\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	jobs := &conversion.Jobs{Program: runtimecmd.Program(program), Dir: t.TempDir(), Stages: func(string) write.Waiting { return write.Waiting{} }}
	t.Cleanup(func() { _ = jobs.Close() })
	return jobs, func(source conversion.Source) *conversion.Result {
		r, err := jobs.Run(t.Context(), conversion.Order{Source: source, ConversionOrder: &api.ConversionOrder{Target: "fp16"}}, func(*api.ConversionEvent) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

// TestKeptResults: results wait, but for some hours, few of them, and not more than a part of the disk. What was compared is not kept.
func TestKeptResults(t *testing.T) {
	source, err := model(t, onnx, "1/model.onnx")
	if err != nil {
		t.Fatal(err)
	}
	for bytes, want := range map[string]int{"1": 4, "400M": 2, "2G": 1} {
		jobs, convert := converted(t, bytes)
		var last *conversion.Result
		first := convert(source)
		for range 5 {
			last = convert(source)
		}
		if _, err := jobs.Write(first.ID, 2); !errors.Is(err, conversion.ErrGone) || !strings.Contains(err.Error(), "made room for newer ones") {
			t.Error(err)
		}
		reports, err := jobs.Waiting(source)
		entries, _ := os.ReadDir(jobs.Dir)
		if err != nil || len(reports) != want || len(entries) != want || reports[want-1].Id != last.ID {
			t.Errorf("of %s bytes %d wait in %d folders: %v", bytes, len(reports), len(entries), err)
		}
		if left := time.Until(time.UnixMilli(last.Report.UntilMs)); left > conversion.Patience || left < conversion.Patience-time.Minute {
			t.Errorf("it waits for %v", left)
		}
	}
}

// TestExpired: who waits for too long is told so, and nothing is left.
func TestExpired(t *testing.T) {
	source, err := model(t, onnx, "1/model.onnx")
	if err != nil {
		t.Fatal(err)
	}
	jobs, convert := converted(t, "1")
	r := convert(source)
	jobs.KeepUntil(r, time.Now().Add(10*time.Millisecond))
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if entries, err := os.ReadDir(jobs.Dir); err == nil && len(entries) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it is still there")
		}
	}
	if _, err := jobs.Write(r.ID, 2); !errors.Is(err, conversion.ErrGone) || !strings.Contains(err.Error(), "waited for too long") {
		t.Error(err)
	}
}

// TestFailedWriteLosesNothing: a result that could not be written waits on, also when its time was over meanwhile.
func TestFailedWriteLosesNothing(t *testing.T) {
	source, err := model(t, onnx, "1/model.onnx")
	if err != nil {
		t.Fatal(err)
	}
	jobs, convert := converted(t, "1")
	r := convert(source)
	jobs.Overdue(r)
	if _, err := jobs.Write(r.ID, 7); !errors.Is(err, conversion.ErrMoved) {
		t.Fatal(err)
	}
	reports, err := jobs.Waiting(source)
	if err != nil || len(reports) != 1 || time.Until(time.UnixMilli(reports[0].UntilMs)) < time.Hour-time.Minute {
		t.Errorf("%v waits, %v", reports, err)
	}
	if w, err := jobs.Write(r.ID, 2); err != nil || w.Version != 2 {
		t.Errorf("%v, %v", w, err)
	}
}

// TestVersionThatCameMeanwhile: what is written is what was said. A version of somebody else, also an empty folder, is never written over.
func TestVersionThatCameMeanwhile(t *testing.T) {
	source, err := model(t, onnx, "1/model.onnx")
	if err != nil {
		t.Fatal(err)
	}
	jobs, convert := converted(t, "1")
	first, second := convert(source), convert(source)
	if first.Report.Version != 2 || second.Report.Becomes != "version 2 of m" {
		t.Errorf("%v and %v", first.Report, second.Report)
	}
	if w, err := jobs.Write(first.ID, 2); err != nil || w.Version != 2 {
		t.Fatalf("%v, %v", w, err)
	}
	if err := os.Mkdir(filepath.Join(source.Model.Dir, "6"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, said := range []int64{0, 2, 3} {
		if _, err := jobs.Write(second.ID, said); !errors.Is(err, conversion.ErrMoved) || !strings.Contains(err.Error(), "any more but version 7") {
			t.Errorf("said %d: %v", said, err)
		}
	}
	reports, err := jobs.Waiting(source)
	if err != nil || len(reports) != 1 || reports[0].Becomes != "version 7 of m" || !strings.Contains(reports[0].Serving, "Version 7 is served") {
		t.Errorf("%v, %v", reports, err)
	}
	if w, err := jobs.Write(second.ID, 7); err != nil || w.Version != 7 {
		t.Errorf("%v, %v", w, err)
	}
}

// TestServingOfToday: what waits says what the version policy of now makes of it.
func TestServingOfToday(t *testing.T) {
	source, err := model(t, onnx, "1/model.onnx")
	if err != nil {
		t.Fatal(err)
	}
	jobs, convert := converted(t, "1")
	convert(source)
	cfg := proto.CloneOf(source.Config)
	cfg.VersionPolicy = &modelconfig.ModelVersionPolicy{PolicyChoice: &modelconfig.ModelVersionPolicy_Specific_{Specific: &modelconfig.ModelVersionPolicy_Specific{Versions: []int64{1}}}}
	source.Config = cfg
	reports, err := jobs.Waiting(source)
	if err != nil || len(reports) != 1 || !strings.Contains(reports[0].Serving, "does not name version 2") {
		t.Errorf("%v, %v", reports, err)
	}
}
