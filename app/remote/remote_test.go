package remote

import (
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"conch/engine/histogram"
	"conch/engine/kserve/kservepb"
)

func TestAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"triton":               "grpc://triton:8001",
		"grpcs://triton:443/":  "grpcs://triton:443",
		"grpc://[::1]:9001":    "grpc://[::1]:9001",
		"http://triton":        "http://triton:8000",
		"HTTPS://triton/a/b/":  "https://triton:443/a/b",
		"http://triton:8000?x": "nothing behind a ?", // which is not shown
		"ftp://triton":         "begins with grpc://",
		"grpc://user:p@triton": "no password",
		"ftp://user:p@triton":  "no password", // which is not shown
		"grpc://triton/models": "is no address",
		"":                     "is no address",
	} {
		o := Options{Name: "n", Address: text}
		if err := o.Check(); err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %q", text, err, want)
			}
		} else if o.URL() != want {
			t.Errorf("%q is %q, want %q", text, o.URL(), want)
		}
	}
}

// TestSecretsInAddressesOfMetrics: an address is kept and shown in plain text, so it has no secret, and no error repeats one.
func TestSecretsInAddressesOfMetrics(t *testing.T) {
	for text, want := range map[string]string{
		"http://user:hunter2@triton:8002/metrics":  "no password",
		"user:hunter2@triton:8002":                 "no password",
		"ftp://user:hunter2@triton":                "no password",
		"http://triton:8002/metrics?token=hunter2": "send a token in a header",
		"http://triton:8002/metrics#hunter2":       "send a token in a header",
	} {
		err := Options{Address: "grpc://triton:8001", Metrics: text}.Check()
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestNobodyThere: who does not answer, and where, is a sentence; the words of the system stand behind it.
func TestNobodyThere(t *testing.T) {
	for words, want := range map[string]string{
		`connection error: desc = "transport: Error while dialing: dial tcp 10.0.0.7:8001: connect: connection refused"`: "nothing listens at 10.0.0.7:8001: see whether the server runs and has this port (dial tcp 10.0.0.7:8001: connect: connection refused).",
		"dial tcp [::1]:8000: connect: connection refused":                                                               "nothing listens at [::1]:8000: see whether the server runs and has this port (dial tcp [::1]:8000: connect: connection refused).",
		"dial tcp: lookup triton on 127.0.0.53:53: no such host":                                                         "no machine has the name triton (dial tcp: lookup triton on 127.0.0.53:53: no such host).",
		"dial tcp: lookup triton: no such host":                                                                          "no machine has the name triton (dial tcp: lookup triton: no such host).",
		"dial tcp 10.0.0.7:8001: connect: no route to host":                                                              "the network has no route to 10.0.0.7:8001 (dial tcp 10.0.0.7:8001: connect: no route to host).",
		"dial tcp 10.0.0.7:8001: i/o timeout":                                                                            "nobody answers at 10.0.0.7:8001 (dial tcp 10.0.0.7:8001: i/o timeout).",
		"dial tcp 10.0.0.7:8001: connect: connection timed out":                                                          "nobody answers at 10.0.0.7:8001 (dial tcp 10.0.0.7:8001: connect: connection timed out).",
		"dial tcp 10.0.0.7:8001: connect: too many open files":                                                           "dial tcp 10.0.0.7:8001: connect: too many open files.",
		"read tcp 127.0.0.1:1->127.0.0.1:2: read: connection reset by peer":                                              "read tcp 127.0.0.1:1->127.0.0.1:2: read: connection reset by peer.",
	} {
		if got := Reason(status.Error(codes.Unavailable, words), 0); got != want {
			t.Errorf("%s\nis %s\nnot %s", words, got, want)
		}
	}
}

func TestHeadersOfTheProtocolAreRefused(t *testing.T) {
	for _, h := range []Header{{"grpc-timeout", "1S"}, {"host", "x"}, {"", "x"}, {"a b", "x"}, {"x", "two\nlines"}, {"trace-bin", "x"}} {
		if err := (Options{Address: "triton", Headers: []Header{h}}).Check(); err == nil {
			t.Errorf("%v is taken", h)
		}
	}
	if err := (Options{Address: "triton", Headers: []Header{{"Authorization", "Bearer x"}}}).Check(); err != nil {
		t.Error(err)
	}
}

// TestLatenciesLieAtTheQuantiles: requests that come one by one are spread as the server's quantiles say.
func TestLatenciesLieAtTheQuantiles(t *testing.T) {
	var p placed
	quantiles := []quantile{{0.5, 1e6}, {0.9, 2e6}, {0.99, 8e6}}
	for range 1000 {
		p.place(1, quantiles)
	}
	told := p.histogram()
	counts := histogram.Counts{Index: told.Index, Count: told.Count}
	if counts.Total() != 1000 {
		t.Fatalf("%d requests are counted", counts.Total())
	}
	for q, want := range map[float64]float64{0.4: 1e6, 0.8: 2e6, 0.95: 8e6} {
		if got := counts.Percentile(q); got < want*0.9 || got > want*1.1 {
			t.Errorf("percentile %v is %v, want about %v", q, got, want)
		}
	}
}

// TestCountersBeginWhenTheServerIsShown: what was before, and what a server did while it was away, does not
// count; a server that was started again does.
func TestCountersBeginWhenTheServerIsShown(t *testing.T) {
	c := newCounters()
	var again []string
	note := func(success uint64) uint64 {
		again = c.note([]*kservepb.ModelStatistics{{Name: "m", Version: "1", InferenceStats: &kservepb.InferStatistics{
			Success: &kservepb.StatisticDuration{Count: success, Ns: success * 1000},
		}}}, page{}, nil, time.Unix(1, 0))
		return c.sample(page{}).Models[0].Success
	}
	for i, step := range []struct{ told, want uint64 }{{100, 0}, {103, 3}, {2, 5}} {
		if got := note(step.told); got != step.want {
			t.Errorf("step %d: %d requests, want %d", i, got, step.want)
		}
		if was := slices.Equal(again, []string{"m"}); was != (i == 2) {
			t.Errorf("step %d: loaded again are %q", i, again)
		}
	}
	c.rebase()
	if got := note(50); got != 5 || len(again) > 0 {
		t.Errorf("after it was away: %d requests, want 5; loaded again are %q", got, again)
	}
	c.rebase()
	if got := note(1); got != 5 || !slices.Equal(again, []string{"m"}) {
		t.Errorf("after it was away and started again: %d requests, want 5; loaded again are %q", got, again)
	}
}

// TestLoadsOfAServer: when a model was loaded again is told, and stays told.
func TestLoadsOfAServer(t *testing.T) {
	m := newModels()
	index := []*kservepb.RepositoryIndexResponse_ModelIndex{{Name: "m", Version: "1", State: "READY"}}
	if first := m.note(index, time.UnixMilli(1)); len(first.Models) != 1 || first.Models[0].LoadedMs != 0 {
		t.Errorf("at first told is %v", first)
	}
	if event := m.noteLoads([]string{"m", "unknown"}, time.UnixMilli(7)); len(event.Models) != 1 || event.Models[0].LoadedMs != 7 {
		t.Errorf("of the load told is %v", event)
	}
	m.begin()
	if again := m.note(index, time.UnixMilli(9)); len(again.Models) != 1 || again.Models[0].LoadedMs != 7 {
		t.Errorf("after it was away told is %v", again)
	}
	if event := m.noteLoads(nil, time.UnixMilli(9)); event != nil {
		t.Errorf("of no load told is %v", event)
	}
}
