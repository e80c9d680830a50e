package scenario_test

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"conch/build/golden"
	"conch/build/oracle/scenario"
	"conch/engine"
	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/control"
	"conch/engine/control/controltest"
	"conch/engine/kserve/grpcapi"
	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/metricsapi"
	"conch/engine/model"
	"conch/engine/sched"
)

var table = flag.Bool("table", false, "print each scenario beside what the real server did")

// TestScenarios plays every story on the engine, whose clock is one that tests turn, and wants what is written.
func TestScenarios(t *testing.T) {
	paths, err := filepath.Glob("testdata/*" + scenario.Extension)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, path := range paths {
		c, err := scenario.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(c.Name, func(t *testing.T) {
			got := ""
			synctest.Test(t, func(t *testing.T) { got = play(t, c, &fake.Backend{As: "python", OnExecute: execute}, nil) })
			if *table {
				fmt.Print(scenario.Row(c, got))
			}
			if want := c.Expected(); got != want {
				t.Errorf("%s\nit did:\n%swant:\n%s", strings.TrimSpace(c.About), got, want)
				if golden.Updating() {
					if err := c.RecordConch(got); err != nil {
						t.Error(err)
					}
				}
			}
			if (c.Conch == "") != (c.Why == "") {
				t.Error("what differs from Triton must say why, and only that")
			}
		})
	}
}

// play tells the story on an engine of its own, whose models have this program.
func play(t *testing.T, c *scenario.Case, models backend.Backend, program []byte) string {
	dir := controltest.New(t, 1)
	if err := c.Lay(dir.Roots[0], "model.py", program); err != nil {
		t.Fatal(err)
	}
	dir.Look()
	e := engine.New(engine.Options{
		Options: control.Options{
			Models: dir, Mode: control.Explicit, LoadModels: c.AtStart(),
			Loader: &model.Loader{NoAutoComplete: true, Limiter: limiter(t, c)},
		},
		Backends:         []backend.Backend{models},
		LenientReadiness: true, PlainTimers: true, CacheBytes: cacheBytes(c),
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	<-e.Started()
	client, hangUp := dial(t, e)
	got, err := scenario.Play(ctx, scenario.Server{Client: client, Metrics: page(e)}, c.Script)
	if err != nil {
		t.Error(err)
	}
	hangUp()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	return got
}

// page reads the engine's metrics.
func page(e *engine.Engine) func(context.Context) (string, error) {
	handler := metricsapi.New(e, metricsapi.Options{})
	return func(context.Context) (string, error) {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		return answer.Body.String(), nil
	}
}

// dial puts the engine's gRPC service at the end of a pipe.
func dial(t *testing.T, e *engine.Engine) (kservepb.GRPCInferenceServiceClient, func()) {
	listener := bufconn.Listen(1 << 20)
	server := grpcapi.NewServer(e, grpcapi.Options{})
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	conn, err := grpc.NewClient("passthrough:///conch", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	return kservepb.NewGRPCInferenceServiceClient(conn), func() {
		_ = conn.Close()
		server.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}
}

// limiter is what the story's flags say of the rate limiter.
func limiter(t *testing.T, c *scenario.Case) *sched.Limiter {
	mode, resources := "off", []string(nil)
	for _, f := range c.Flags() {
		if value, ok := strings.CutPrefix(f, "--rate-limit="); ok {
			mode = value
		} else if value, ok := strings.CutPrefix(f, "--rate-limit-resource="); ok {
			resources = append(resources, value)
		}
	}
	l, err := sched.ParseLimiter(mode, resources)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// cacheBytes is what the story's flags say of the response cache.
func cacheBytes(c *scenario.Case) int64 {
	for _, f := range c.Flags() {
		if size, ok := strings.CutPrefix(f, "--cache-config=local,size="); ok {
			n, _ := strconv.ParseInt(size, 10, 64)
			return n
		}
	}
	return 0
}
