package serve_test

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/control"
	"conch/engine/control/controltest"
	"conch/engine/serve"
)

// parse reads a command line as `conch serve` does.
func parse(t *testing.T, args ...string) (*serve.Flags, error) {
	t.Helper()
	var f serve.Flags
	parser, err := kong.New(&f, kong.Writers(io.Discard, io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(append([]string{"--model-repository=r"}, args...))
	return &f, err
}

// A command line for tritonserver is accepted as far as possible; unsupported flags are reported
// (docs/triton/flags.md, "Flags that Conch does not act on").
func TestTritonsFlags(t *testing.T) {
	f, err := parse(t, "--http-thread-count=4", "--pinned-memory-pool-byte-size=0", "--cuda-memory-pool-byte-size=0:0", "--backend-directory=/x",
		"--grpc-infer-allocation-pool-size=9", "--allow-gpu-metrics=false", "--log-info=false", "--strict-readiness=false", "--exit-on-error=false",
		"--model-load-retry-count=2", "--trace-config=rate=1", "--trace-config", "triton,file=x", "--metrics-config", "summary_quantiles=0.5:0.05,0.9:0.01",
		"--http-restricted-api=health,metadata:k=v", "--rate-limit=execution_count", "--rate-limit-resource=R:2", "--model-namespacing")
	if err != nil {
		t.Fatal(err)
	}
	if f.LogInfo || f.StrictReadiness || f.ExitOnError || f.LoadRetries != 2 || !f.Namespacing || len(f.TraceConfig) != 2 || len(f.MetricsConfig) != 1 {
		t.Errorf("flags = %+v", f)
	}
	for flag, want := range map[string]string{
		"--allow-sagemaker=1": "--allow-sagemaker is a flag of tritonserver that conch serve does not have: there is no SageMaker endpoint",
		"--reuse-grpc-port=1": "a port belongs to one process",
		"--no-such-flag":      "unknown flag --no-such-flag",
	} {
		_, err := parse(t, flag)
		if err = serve.Explain(err); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", flag, err, want)
		}
	}
	if serve.Explain(nil) != nil || serve.Explain(io.EOF) != io.EOF {
		t.Error("another error was changed")
	}
}

// Invalid settings end the start with an error.
func TestSettingsThatAreRefused(t *testing.T) {
	for _, c := range []struct{ flag, want string }{
		{"--grpc-use-ssl", "--grpc-use-ssl needs --grpc-server-cert and --grpc-server-key"},
		{"--http-use-ssl-mutual", "--http-use-ssl needs --http-server-cert and --http-server-key"},
		{"--trace-config=opentelemetry,colour=red", "there is no such setting"},
		{"--trace-config=opentelemetry,bsp_max_queue_size=0", "is not a number from 1"},
		{"--trace-config=opentelemetry,resource=x", "resource=KEY=VALUE"},
		{"--trace-config=level=TIMESTAMPS", "traces need a file"},
		{"--trace-config=rate", "option format"},
		{"--trace-config=rate=x", "Unable to parse 'trace_rate', got: x"},
		{"--trace-config=colour=red", "there is no such setting"},
		{"--metrics-config=colour=red", "there is no such setting"},
		{"--metrics-config=summary_quantiles=2:0.1", "is not <quantile>:<error>"},
		{"--http-restricted-api=nothing:a=b", "unknown restricted api 'nothing'"},
		{"--http-restricted-api=health", "option format"},
		{"--log-file=/nowhere/at/all", "open the log"},
		{"--trace-config=level=foo", "invalid value for trace level option: foo"},
		{"--trace-config=mode=foo", "invalid value for trace mode option: foo"},
		{"--exit-timeout-secs=10000000000", "--exit-timeout-secs=10000000000 is too large: use 9223372036 or less"},
		{"--exit-timeout-secs=-5", "--exit-timeout-secs=-5 is too small: use 0 or more"},
		{"--repository-poll-secs=10000000000", "is too large"},
		{"--http-max-input-size=-1", "--http-max-input-size=-1 is too small: use 1 or more"},
		{"--response-cache-byte-size=-1", "is too small: use 0 or more"},
		{"--request-memory-limit=-2", "is too small: use -1 or more"},
		{"--max-connections=-1", "is too small: use 0 or more"},
		{"--grpc-keepalive-time=10000000000000", "is too large"},
		{"--model-load-thread-count=-1", "--model-load-thread-count=-1 is too small: use 0 or more"},
		{"--model-load-thread-count=99999999999", "is too large: use 2147483647 or less"},
		{"--model-load-retry-count=-1", "--model-load-retry-count=-1 is too small: use 0 or more"},
		{"--http-port=-1", "--http-port=-1 is too small: use 0 or more"},
		{"--grpc-port=65536", "--grpc-port=65536 is too large: use 65535 or less"},
		{"--metrics-port=65536", "--metrics-port=65536 is too large: use 65535 or less"},
		{"--cache-config=local,size=9223372036854775808", "is not a number of bytes from 1 to 9223372036854775807"},
		{"--cache-config=local,size=-1", "is not a number of bytes from 1 to"},
	} {
		f, err := parse(t, "--http-port=0", "--grpc-port=0", "--metrics-port=0", c.flag)
		if err == nil {
			err = runBriefly(t, f)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.flag, err, c.want)
		}
	}
}

// runBriefly runs a process that should refuse its flags.
func runBriefly(t *testing.T, f *serve.Flags) error {
	t.Helper()
	dir := controltest.New(t, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	return f.Run(ctx, serve.Deps{
		OpenModels: func(context.Context, serve.RepositoryOptions) (control.ModelSource, io.Closer, error) {
			return dir, io.NopCloser(nil), nil
		},
		Backends: func(serve.BackendSettings, *slog.Logger) []backend.Backend { return []backend.Backend{&fake.Backend{}} },
		Stdin:    strings.NewReader(""), Stderr: io.Discard,
	})
}
