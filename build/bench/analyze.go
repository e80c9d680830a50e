package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// analysis is one row of perf_analyzer: a model under some load.
type analysis struct {
	model, protocol string
	inFlight        int
	elements        int // of FP32 in the input DATA; 0 for a model whose config says the shape
	// shared is true when tensors lie in shared memory of the system.
	shared bool
	// mode are further options, such as those of another way to call. Where they say how much load there is, inFlight is 0.
	mode []string
}

func (a analysis) String() string {
	name := a.model + ", " + a.protocol
	if a.shared {
		name += " and shared memory"
	}
	if a.elements > 0 {
		name += ", " + sized(4*a.elements)
	}
	return fmt.Sprintf("%s, %d in flight", name, a.inFlight)
}

// sized writes a number of bytes, as tensors have them.
func sized(bytes int) string {
	switch {
	case bytes >= 1<<20:
		return fmt.Sprintf("%d MB", bytes>>20)
	case bytes >= 1<<10:
		return fmt.Sprintf("%d KB", bytes>>10)
	}
	return fmt.Sprintf("%d B", bytes)
}

// analyzed is what perf_analyzer found: requests a second, and the 99th percentile in microseconds; and the seconds of processor
// time that it took itself, all its windows together.
type analyzed struct{ rate, p99, own float64 }

// measure runs perf_analyzer, which lies beside the command that runs the real server.
func (a analysis) measure(ctx context.Context, b bench, s *server) (analyzed, error) {
	table, err := os.CreateTemp("", "conch-bench-*.csv")
	if err != nil {
		return analyzed{}, err
	}
	_ = table.Close()
	defer os.Remove(table.Name())
	address := strings.TrimPrefix(s.http, "http://")
	if a.protocol == "grpc" {
		address = s.grpc
	}
	program, options := filepath.Join(filepath.Dir(b.triton), "perf_analyzer"), append(a.options(b, address), "-f", table.Name())
	var own float64
	for attempt := 1; ; attempt++ {
		out, spent, err := within(ctx, a.limit(b), program, options)
		own += spent.Seconds()
		if err == nil {
			break
		}
		if attempt == attempts {
			return analyzed{}, fmt.Errorf("perf_analyzer, %s: %w\n%s", a, err, out)
		}
		fmt.Fprintf(os.Stderr, "perf_analyzer, %s at %s: %v; started again after\n%s", a, address, err, out)
	}
	found, err := readTable(table.Name())
	found.own = own
	return found, err
}

// attempts is how often perf_analyzer is started for a row: at times it crashes, or does not end, also against the real server.
const attempts = 3

// startLimit is how long perf_analyzer may take besides its windows.
const startLimit = 10 * time.Second

// limit is how long perf_analyzer may take for a row. It needs three windows or four. With many threads of its own, which keep the
// processors busy, at times it does not end.
func (a analysis) limit(b bench) time.Duration { return startLimit + 10*a.window(b) }

// within runs a program, and kills it when it takes longer than limit. It tells the program's processor time too.
func within(ctx context.Context, limit time.Duration, program string, options []string) (out []byte, spent time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, options...)
	out, err = cmd.CombinedOutput()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("it did not end within %v", limit)
	}
	if state := cmd.ProcessState; state != nil {
		spent = state.UserTime() + state.SystemTime()
	}
	return out, spent, err
}

// window is how long a window lasts, in which some requests must end: large tensors take longer.
func (a analysis) window(b bench) time.Duration {
	return max(b.load/2, 500*time.Millisecond, time.Duration(a.elements>>10)*time.Millisecond)
}

// options are what perf_analyzer is called with.
func (a analysis) options(b bench, address string) []string {
	window := strconv.FormatInt(a.window(b).Milliseconds(), 10)
	args := append([]string{"-m", a.model, "-i", a.protocol, "-u", address, "-p", window, "-r", "4", "-s", "999"}, a.mode...)
	if a.inFlight > 0 {
		args = append(args, "--concurrency-range", strconv.Itoa(a.inFlight))
	}
	if a.elements > 0 {
		args = append(args, "--shape", fmt.Sprintf("DATA:%d", a.elements))
	}
	if a.shared {
		args = append(args, "--shared-memory", "system", "--output-shared-memory-size", strconv.Itoa(max(4*a.elements, 64)))
	}
	return args
}

// readTable reads the one row of perf_analyzer's table.
func readTable(path string) (analyzed, error) {
	file, err := os.Open(path)
	if err != nil {
		return analyzed{}, err
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) < 2 {
		return analyzed{}, fmt.Errorf("read the table of perf_analyzer: %d rows, %w", len(rows), err)
	}
	fields := map[string]float64{}
	for i, name := range rows[0] {
		if fields[name], err = strconv.ParseFloat(rows[1][i], 64); err != nil {
			fields[name] = 0
		}
	}
	return analyzed{rate: fields["Inferences/Second"], p99: fields["p99 latency"]}, nil
}
