// Command bench prints the figures of docs/benchmarks.md, each beside its aim and, where there is one, a peer that is
// measured in turn with it: the config language, the engine in process, a real `conch serve`. `make bench` runs all of it;
// arguments choose sections. A missed aim is marked and nothing else: machines differ.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

// section measures one thing and prints its rows.
type section struct {
	name, title string
	run         func(ctx context.Context, b bench) error
}

// bench is what every section needs.
type bench struct {
	binary     string // conch-headless
	repository string
	triton     string         // a command that runs the real server; "" for none
	load       time.Duration  // of each throughput row
	rounds     int            // in which each row is measured beside the real server
	rows       *regexp.Regexp // the rows of perf_analyzer that are measured
}

var sections = []section{
	{"language", "config.pbtxt: an ensemble of five steps in 400 lines among 1,000 models", measureLanguage},
	{"check", "conch check: 1,000 models, 10,000 files", measureCheck},
	{"start", "conch serve: start to ready", measureStart},
	{"memory", "memory when idle", measureMemory},
	{"reload", "save to new model serving", measureReload},
	{"many", "many models", measureMany},
	{"overhead", "one add_sub request of INT32 [16] in process", measureOverhead},
	{"convnet", "a convolutional net of ResNet-50's size in process", measureConvNet},
	{"optimized", "loading that net again", measureOptimized},
	{"batching", "dynamic batching, 32 clients, a layer of 2048 x 2048", measureBatching},
	{"delay", "queue delays below a millisecond, one request in flight", measureDelay},
	{"ensemble", "ensembles in process", measureEnsemble},
	{"history", "metrics of a day, measured every second", measureHistory},
	{"python", "Python models beside the real server, by perf_analyzer", measurePython},
	{"beside", "add_sub, an ensemble of three and a Python program beside the real server, by perf_analyzer", measureBeside},
	{"sizes", "a model that gives its input back: bytes a second, beside the real server and memcpy, by perf_analyzer", measureSizes},
	{"modes", "perf_analyzer in all its modes", measureModes},
	{"requests", "add_sub: requests per second and latency", measureThroughput},
}

func main() {
	b := bench{}
	flag.StringVar(&b.binary, "binary", "build/bin/conch-headless", "the program to measure")
	flag.StringVar(&b.repository, "repository", "examples/repository", "the repository to serve, without its Python models")
	flag.StringVar(&b.triton, "triton", os.Getenv("CONCH_TRITON"), "a command that serves the repository it is given as the real tritonserver, with an ONNX Runtime backend, on $HTTP_PORT, $GRPC_PORT and $METRICS_PORT")
	flag.DurationVar(&b.load, "load", 2*time.Second, "how long each throughput row runs")
	flag.IntVar(&b.rounds, "rounds", 3, "how often each row of the sections beside and sizes is measured on both servers")
	rows := flag.String("rows", "", "of the rows by perf_analyzer, measure only those whose name this regular expression matches: 'echo, http, 64 B'")
	fill := flag.String("fill-history", "", "instead of measuring, write a day of metrics of the repository to the history in this data folder")
	flag.Usage = usage
	flag.Parse()
	var err error
	b.rows, err = regexp.Compile(*rows)
	fail(err)
	if *fill != "" {
		fail(fillHistory(context.Background(), *fill, b.repository))
		return
	}
	fail(run(context.Background(), b, flag.Args()))
}

// fail ends the program when there is an error.
func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "bench [flags] [section...]; the sections are:")
	for _, s := range sections {
		fmt.Fprintf(os.Stderr, "  %-12s %s\n", s.name, s.title)
	}
	flag.PrintDefaults()
}

// run measures the sections of these names, all of them when none is named.
func run(ctx context.Context, b bench, names []string) error {
	for _, name := range names {
		if !slices.ContainsFunc(sections, func(s section) bool { return s.name == name }) {
			return fmt.Errorf("there is no section %q; bench -h lists them", name)
		}
	}
	scratch, err := withoutPrograms(b.repository)
	defer os.RemoveAll(scratch)
	if err != nil {
		return err
	}
	b.repository = filepath.Join(scratch, "repository")
	for _, s := range sections {
		if len(names) > 0 && !slices.Contains(names, s.name) {
			continue
		}
		fmt.Printf("\n%s: %s\n", s.name, s.title)
		if err := s.run(ctx, b); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// withoutPrograms copies the models of a repository that are data. The section "python" measures those that run in a process of Python.
func withoutPrograms(from string) (dir string, err error) {
	if dir, err = copyRepository(from); err != nil {
		return "", err
	}
	programs, err := filepath.Glob(filepath.Join(dir, "repository", "*", "*", "model.py"))
	for _, program := range programs {
		err = errors.Join(err, os.RemoveAll(filepath.Dir(filepath.Dir(program))))
	}
	return dir, err
}

// copyRepository makes a copy that a section may change.
func copyRepository(from string) (string, error) {
	to, err := os.MkdirTemp("", "conch-bench-")
	if err != nil {
		return "", err
	}
	return to, os.CopyFS(to+"/repository", os.DirFS(from))
}
