package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"conch/engine/kserve/kservepb"
)

// call sends one add_sub request of INT32 [1, 16] and waits for the answer.
type call func(ctx context.Context) error

func measureThroughput(ctx context.Context, b bench) error {
	s, err := startServer(ctx, b, b.repository)
	if err != nil {
		return err
	}
	defer s.stop()
	bare, binding, err := inProcess(ctx)
	if err != nil {
		return err
	}
	row("ONNX Runtime in process", "%8.0f/s   %.1f µs a run; through the Go binding %.1f µs", 1e9/bare, bare/1e3, binding/1e3)

	overGRPC, closeGRPC, err := grpcCall(s.grpc)
	if err != nil {
		return err
	}
	defer closeGRPC()
	overHTTP := &httpClients{address: strings.TrimPrefix(s.http, "http://"), model: "add_sub"}
	defer overHTTP.close()
	for _, way := range []struct {
		name string
		call call
	}{{"gRPC", overGRPC}, {"HTTP, binary", overHTTP.call}} {
		for _, inFlight := range []int{1, 8, 32} {
			r, err := closedLoop(ctx, way.call, inFlight, b.load)
			if err != nil {
				return err
			}
			row(fmt.Sprintf("%s, %d in flight", way.name, inFlight), "%8.0f/s   p50 %s   p99 %s   %.3f of in process",
				r.rate, ms(r.p50), ms(r.p99), r.rate*bare/1e9)
		}
	}
	return nil
}

// inProcess is the time of one run of add_sub without a server, in nanoseconds: through the engine's own
// way into ONNX Runtime, and through the Go binding's. The backend's benchmarks tell it.
func inProcess(ctx context.Context) (own, binding float64, err error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^Benchmark(AddSub|Binding)$", "./engine/backend/onnx")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, 0, fmt.Errorf("benchmark of ONNX Runtime in process: %w", err)
	}
	if own, err = benchmarkFigure(out, "AddSub"); err != nil {
		return 0, 0, err
	}
	binding, err = benchmarkFigure(out, "Binding")
	return own, binding, err
}

func benchmarkFigure(out []byte, name string) (float64, error) {
	found := regexp.MustCompile(`Benchmark` + name + `\S*\s+\d+\s+([\d.]+) ns/op`).FindSubmatch(out)
	if found == nil {
		return 0, fmt.Errorf("no figure for %s in the benchmark's output:\n%s", name, out)
	}
	return strconv.ParseFloat(string(found[1]), 64)
}

type rate struct {
	rate     float64
	p50, p99 time.Duration
}

// closedLoop keeps inFlight requests under way for a while, after a warm-up of a fifth of it.
func closedLoop(ctx context.Context, c call, inFlight int, length time.Duration) (rate, error) {
	var mu sync.Mutex
	var all []time.Duration
	var failure error
	var workers sync.WaitGroup
	counted := time.Now().Add(length / 5)
	end := counted.Add(length)
	for range inFlight {
		workers.Go(func() {
			mine, err := loop(ctx, c, counted, end)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, mine...)
			if err != nil {
				failure = err
			}
		})
	}
	workers.Wait()
	if failure != nil {
		return rate{}, failure
	}
	return rate{float64(len(all)) / length.Seconds(), quantile(all, 0.5), quantile(all, 0.99)}, nil
}

func loop(ctx context.Context, c call, counted, end time.Time) ([]time.Duration, error) {
	var took []time.Duration
	for began := time.Now(); began.Before(end); began = time.Now() {
		if err := c(ctx); err != nil {
			return nil, err
		}
		if began.After(counted) {
			took = append(took, time.Since(began))
		}
	}
	return took, nil
}

func vector() []byte {
	data := make([]byte, 0, 64)
	for i := range 16 {
		data = binary.LittleEndian.AppendUint32(data, uint32(i))
	}
	return data
}

func grpcCall(address string) (call, func() error, error) {
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, nil, err
	}
	client := kservepb.NewGRPCInferenceServiceClient(connection)
	input := func(name string) *kservepb.ModelInferRequest_InferInputTensor {
		return &kservepb.ModelInferRequest_InferInputTensor{Name: name, Datatype: "INT32", Shape: []int64{1, 16}}
	}
	request := &kservepb.ModelInferRequest{
		ModelName:        "add_sub",
		Inputs:           []*kservepb.ModelInferRequest_InferInputTensor{input("INPUT0"), input("INPUT1")},
		RawInputContents: [][]byte{vector(), vector()},
	}
	return func(ctx context.Context) error {
		_, err := client.ModelInfer(ctx, request)
		return err
	}, connection.Close, nil
}
