package tracing_test

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/engine/infer"
	"conch/engine/kserve/tracing"
	"conch/engine/kserve/tracing/spans"
	"conch/engine/tensor"
)

var discard = slog.New(slog.DiscardHandler)

func always(string) bool { return true }

func set(t *testing.T, keysAndValues ...string) *tracing.Change {
	t.Helper()
	c := &tracing.Change{}
	for i := 0; i < len(keysAndValues); i += 2 {
		var values []string
		if v := keysAndValues[i+1]; v != "null" {
			values = strings.Split(v, ",")
		}
		if err := c.Set(keysAndValues[i], values); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// The sentences are those of Triton 24.10.
func TestValuesThatAreRefused(t *testing.T) {
	for _, c := range []struct{ key, value, want string }{
		{"trace_rate", "abc", "Unable to parse 'trace_rate', got: abc"},
		{"trace_rate", "99999999999", "Unable to parse 'trace_rate', value is out of range [ 0, 4294967295 ], got: 99999999999"},
		{"trace_count", "-5", "Unable to parse 'trace_count'. Expecting value >= -1, got:-5"},
		{"log_frequency", "", "Unable to parse 'log_frequency', got: "},
		{"trace_level", "TIMESTAMPS,OFF", "Expect only one trace level 'OFF' is specified"},
		{"trace_file", "x", "trace file location can not be updated through network protocol"},
	} {
		err := (&tracing.Change{}).Set(c.key, strings.Split(c.value, ","))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s %q: %v, want %s", c.key, c.value, err, c.want)
		}
	}
	c := set(t, "trace_rate", "10abc", "trace_count", "1.5", "nobody", "x", "trace_level", "TENSORS,what")
	if *c.Rate != 10 || *c.Count != 1 || *c.Level != tracing.Tensors {
		t.Errorf("read %d, %d, %v", *c.Rate, *c.Count, *c.Level)
	}
	for _, names := range []string{"MIN", "MAX", "what", "min,what"} {
		if c := set(t, "trace_level", names); c.Level != nil || c.Clear["trace_level"] {
			t.Errorf("%s changes the level", names)
		}
	}
	if c := set(t, "trace_level", "OFF"); c.Level == nil || *c.Level != 0 {
		t.Error("OFF does not switch off")
	}
	if c := set(t, "trace_rate", "-1"); *c.Rate != 1<<32-1 {
		t.Errorf("-1 is %d", *c.Rate)
	}
}

func TestSettingsOfModelsGoAlongWithTheGlobal(t *testing.T) {
	tracer := tracing.New(tracing.Setting{Rate: 1000, Count: -1, File: filepath.Join(t.TempDir(), "t")}, discard, always)
	defer tracer.Close()
	update := func(model string, c *tracing.Change) tracing.Setting {
		t.Helper()
		s, err := tracer.Update(model, c)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	update("m", set(t, "trace_rate", "5"))
	update("", set(t, "trace_level", "TIMESTAMPS", "trace_rate", "7"))
	if s := tracer.Get("m"); s.Rate != 5 || s.Level != tracing.Timestamps {
		t.Errorf("m has %+v", s)
	}
	if s := tracer.Get("other"); s.Rate != 7 {
		t.Errorf("other has %+v", s)
	}
	if s := update("m", set(t, "trace_rate", "null")); s.Rate != 7 {
		t.Errorf("cleared, m has %+v", s)
	}
	if s := update("", set(t, "trace_rate", "null", "trace_level", "null")); s.Rate != 1000 || s.Level != 0 {
		t.Errorf("cleared, all have %+v", s)
	}
	if _, err := tracer.Update("", set(t, "trace_level", "TIMESTAMPS", "trace_rate", "0")); err == nil || err.Error() != "Attempting to set invalid trace setting :sample rate must be non-zero" {
		t.Errorf("rate 0: %v", err)
	}
	without := tracing.New(tracing.Defaults, discard, always)
	if _, err := without.Update("", set(t, "trace_level", "TIMESTAMPS")); err == nil || err.Error() != "Attempting to set invalid trace setting :trace file name is not given" {
		t.Errorf("without a file: %v", err)
	}
	if without.Sample("m", nil) != nil || (*tracing.Tracer)(nil).Sample("m", nil) != nil {
		t.Error("a request was picked although tracing is off")
	}
}

// run traces a request to an ensemble with one step, beside which a call goes on.
func run(t *testing.T, tracer *tracing.Tracer, id string) bool {
	t.Helper()
	s := tracer.Sample("e", nil)
	if s == nil {
		return false
	}
	s.Mark("HTTP_RECV_START")
	r := &infer.Request{ID: id, Received: time.Now(), Inputs: []tensor.Tensor{
		{Name: "IN", Type: tensor.Bytes, Shape: tensor.Shape{1}, Data: []byte("\x02\x00\x00\x00a\"")},
	}}
	s.Trace.Begin("e", 1, r)
	step := s.Trace.Child(0)
	step.Begin("m", 3, &infer.Request{Received: time.Now()})
	step.Ran(infer.Execution{Start: time.Now()})
	step.End(nil)
	s.Trace.Child(1).Begin("running", 1, &infer.Request{Received: time.Now()})
	s.Trace.Answered(&infer.Response{Final: true, Outputs: []tensor.Tensor{
		{Name: "OUT", Type: tensor.FP32, Shape: tensor.Shape{1, 2}, Data: []byte{0, 0, 160, 63, 0, 0, 0, 192}},
	}})
	s.Trace.End(nil)
	s.Mark("HTTP_SEND_END")
	s.Done()
	return true
}

// entry is one activity of a trace file, as Triton documents it.
type entry struct {
	ID         uint64 `json:"id"`
	ModelName  string `json:"model_name"`
	RequestID  string `json:"request_id"`
	ParentID   uint64 `json:"parent_id"`
	Timestamps []struct {
		Name string `json:"name"`
		Ns   uint64 `json:"ns"`
	} `json:"timestamps"`
	Activity string                                    `json:"activity"`
	Tensor   struct{ Name, Data, Shape, Dtype string } `json:"tensor"`
}

// read returns the activities of a file, each on a line.
func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var entries []entry
	if err := json.Unmarshal(text, &entries); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	var lines []string
	for _, e := range entries {
		line := string(rune('0'+e.ID)) + " "
		switch {
		case e.ModelName != "":
			line += e.ModelName + " " + e.RequestID + " " + string(rune('0'+e.ParentID))
		case e.Activity != "":
			line += e.Activity + " " + e.Tensor.Name + " " + e.Tensor.Data + " " + e.Tensor.Shape + " " + e.Tensor.Dtype
		default:
			line += e.Timestamps[0].Name
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

const traced = `1 HTTP_RECV_START
1 e r1 0
1 REQUEST_START
1 QUEUE_START
1 TENSOR_QUEUE_INPUT IN "a"" 1 BYTES
1 TENSOR_BACKEND_OUTPUT OUT 1.25,-2 1,2 FP32
1 INFER_RESPONSE_COMPLETE
1 REQUEST_END
1 HTTP_SEND_END
2 m  1
2 REQUEST_START
2 QUEUE_START
2 COMPUTE_START
2 COMPUTE_INPUT_END
2 COMPUTE_OUTPUT_START
2 COMPUTE_END
2 REQUEST_END`

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.json")
	tracer := tracing.New(tracing.Setting{Level: tracing.Timestamps | tracing.Tensors, Rate: 2, Count: -1, File: path}, discard, always)
	if run(t, tracer, "r0") || !run(t, tracer, "r1") {
		t.Error("not every second request was picked")
	}
	tracer.Close()
	if got := read(t, path); got != traced {
		t.Errorf("trace:\n%s\nwant:\n%s", got, traced)
	}
	if tracer.Sample("e", nil) != nil {
		t.Error("a closed tracer picks requests")
	}
}

// A request that was refused before it reached a queue has no trace, and the error of one that failed is its answer.
func TestRefusedAndFailed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.json")
	tracer := tracing.New(tracing.Setting{Level: tracing.Timestamps, Rate: 1, Count: -1, File: path}, discard, always)
	refused := tracer.Sample("m", nil)
	refused.Mark("HTTP_RECV_START")
	refused.Done()
	failed := tracer.Sample("m", nil)
	failed.Trace.Begin("m", 1, &infer.Request{ID: "f", Received: time.Now()})
	failed.Trace.End(infer.Errorf(infer.Internal, "boom"))
	failed.Done()
	tracer.Close()
	if got := read(t, path); got != "1 m f 0\n1 REQUEST_START\n1 QUEUE_START\n1 INFER_RESPONSE_COMPLETE\n1 REQUEST_END" {
		t.Errorf("traces:\n%s", got)
	}
}

func TestNumberedFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.json")
	tracer := tracing.New(tracing.Setting{Level: tracing.Timestamps, Rate: 1, Count: 5, LogFrequency: 2, File: path}, discard, always)
	for range 9 {
		run(t, tracer, "r")
	}
	if s := tracer.Get(""); s.Count != 0 {
		t.Errorf("%d are left", s.Count)
	}
	for name, want := range map[string]int{".0": 2, ".1": 2, ".2": 1} {
		if got := strings.Count(read(t, path+name), "HTTP_RECV_START"); got != want {
			t.Errorf("%s has %d traces, want %d", name, got, want)
		}
	}
	tracer.Close()
	if _, err := os.Stat(path); err == nil {
		t.Error("a file without a number was written")
	}
}

func TestKeptTraces(t *testing.T) {
	k := &tracing.Kept{}
	var ids []uint64
	for range 10 {
		ids = append(ids, k.Keep(&infer.Trace{}))
	}
	if _, there := k.Find(ids[0]); there {
		t.Error("the oldest is kept")
	}
	if _, there := k.Find(ids[9]); !there {
		t.Error("the newest is not kept")
	}
}

// When tracing is off, a request costs one atomic load and no memory.
func TestOffTakesNoMemory(t *testing.T) {
	tracer := tracing.New(tracing.Defaults, discard, always)
	if n := testing.AllocsPerRun(100, func() {
		s := tracer.Sample("m", nil)
		s.Mark("HTTP_SEND_START")
		s.Done()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkOff(b *testing.B) {
	tracer := tracing.New(tracing.Defaults, discard, always)
	for b.Loop() {
		tracer.Sample("m", nil).Mark("HTTP_SEND_START")
	}
}

// With a collector the settings are its own, in the order of Triton 24.10.
func TestSettingsOfACollector(t *testing.T) {
	sender, err := spans.New(spans.Defaults, discard)
	if err != nil {
		t.Fatal(err)
	}
	defer sender.Close()
	s := tracing.Setting{Rate: 5, Count: -1, Level: tracing.Timestamps, Sender: sender}
	var got []string
	for _, name := range s.Names() {
		got = append(got, name+"="+strings.Join(s.Values()[name], ","))
	}
	const want = "trace_level=TIMESTAMPS trace_rate=5 trace_count=-1 trace_mode=opentelemetry url=http://localhost:4318/v1/traces resource= " +
		"bsp_max_export_batch_size=512 bsp_schedule_delay=5000 bsp_max_queue_size=2048"
	if text := strings.Join(got, " "); text != want || len(s.Values()) != len(s.Names()) {
		t.Errorf("%s, want %s; %d values", text, want, len(s.Values()))
	}
}
