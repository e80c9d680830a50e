package serve_test

import (
	"slices"
	"strings"
	"testing"

	"conch/engine/serve"
)

// Tritonserver takes each of these command lines.
func TestArgumentsOfTritonserver(t *testing.T) {
	for given, want := range map[string]string{
		"--exit-on-error false --id x":                      "--exit-on-error=false --id x",
		"--exit-on-error --id x":                            "--exit-on-error --id x",
		"--strict-readiness maybe":                          "--strict-readiness=maybe",
		"--exit-on-error -h":                                "--exit-on-error -h",
		"--log-info OFF --strict-readiness=0":               "--log-info=false --strict-readiness=false",
		"--grpc-use-ssl false --grpc-use-ssl-mutual=off":    "--grpc-use-ssl=false --grpc-use-ssl-mutual=false",
		"--model-control-mode EXPLICIT --load-model A":      "--model-control-mode=explicit --load-model A",
		"--model-control-mode=Poll --rate-limit=OFF":        "--model-control-mode=poll --rate-limit=off",
		"--allow-sagemaker=false --allow-vertex-ai 0":       "",
		"--reuse-grpc-port=0 --reuse-http-port false":       "",
		"--allow-sagemaker=true":                            "--allow-sagemaker=true",
		"--strict-model-config=true":                        "--disable-auto-complete-config",
		"--strict-model-config false --id=A":                "--id=A",
		"--trace-file /tmp/t.json --trace-level=TIMESTAMPS": "--trace-config=triton,file=/tmp/t.json --trace-config=level=TIMESTAMPS",
		"--trace-rate=5 --trace-count -1":                   "--trace-config=rate=5 --trace-config=count=-1",
		"--trace-log-frequency=9":                           "--trace-config=triton,log-frequency=9",
		"--log-verbose=TRUE --log-verbose false":            "--log-verbose=1 --log-verbose=0",
		"--log-verbose 2":                                   "--log-verbose=2",
		"--sagemaker-port=8080 --vertex-ai-port 8080":       "",
		"--grpc-http2-max-pings-without-data 0 --id=A":      "--id=A",
		"--grpc-http2-max-pings-without-data=5":             "--grpc-http2-max-pings-without-data=5",
		"-- --exit-on-error false":                          "-- --exit-on-error false",
	} {
		got := serve.Arguments(strings.Fields(given))
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, want %q", given, got, want)
		}
	}
	for _, line := range []string{
		"--exit-on-error false --model-control-mode EXPLICIT --load-model=a --strict-model-config=true --grpc-use-ssl=false",
		"--host-policy=gpu_0,numa-node=1 --cuda-virtual-address-size=0:0 --allow-sagemaker=false --reuse-grpc-port=0",
		"--log-verbose=true --trace-config=mode=OpenTelemetry --sagemaker-port=8080 --allow-sagemaker=false",
		"--trace-file=t.json --trace-level=TIMESTAMPS --trace-rate=1 --trace-count=2 --trace-log-frequency=3",
	} {
		if _, err := parse(t, serve.Arguments(strings.Fields(line))...); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}
