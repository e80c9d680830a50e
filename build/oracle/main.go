package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"conch/build/golden/sections"
)

//go:embed bases/*.txtar
var baseFiles embed.FS

// options are the command line.
type options struct {
	mutations   int
	seed        uint64
	venv, conch string
	record      string
	verbose     bool
	scenarios   string
	only        string
	around      string
	wire        wireOptions
}

func main() {
	var o options
	flag.IntVar(&o.mutations, "n", 2000, "how many mutations to ask about")
	flag.Uint64Var(&o.seed, "seed", 1, "where the mutations begin")
	flag.StringVar(&o.venv, "venv", "build/cache/venv-oracle", "the Python environment with nvidia-pytriton")
	flag.StringVar(&o.conch, "conch", "build/bin/conch-headless", "the program to hold against the server")
	flag.StringVar(&o.record, "record", "", "keep 300 of the repositories, with the answers, in this folder")
	flag.BoolVar(&o.verbose, "v", false, "tell every case")
	flag.StringVar(&o.scenarios, "scenarios", "", "instead, play the scenarios of this folder on the server and record what came of them")
	flag.StringVar(&o.only, "only", "", "only the scenarios, or the cases of the wire suite, whose names hold this")
	flag.StringVar(&o.around, "around", "", "instead, run this command of the shell; CONCH_TRITON tells it how to start the server")
	flag.BoolVar(&o.wire.play, "wire", false, "instead, play the wire suite on conch, or on the server that other flags name")
	flag.StringVar(&o.wire.on, "on", "", "the addresses of a running server for the wire suite: HTTP[,GRPC,METRICS]")
	flag.BoolVar(&o.wire.real, "real", false, "play the wire suite on the server that CONCH_TRITON starts")
	flag.BoolVar(&o.wire.record, "record-wire", false, "record in the wire suite's cases what the server answers")
	flag.StringVar(&o.wire.models, "wire-models", "", "instead, write the models of the wire suite to this folder")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	venv, err := filepath.Abs(o.venv)
	if err != nil {
		return fmt.Errorf("find the environment: %w", err)
	}
	if o.wire.play || o.wire.models != "" {
		return playWire(ctx, o)
	}
	if o.around != "" {
		return around(ctx, venv, o.around)
	}
	if o.scenarios != "" {
		return playScenarios(ctx, venv, o.scenarios, o.only)
	}
	there, err := givenServer()
	if err != nil {
		return err
	}
	bases, err := readBases(there)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "conch-oracle-")
	if err != nil {
		return fmt.Errorf("make a folder to work in: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	s := &server{venv: venv, given: there, work: work, repository: filepath.Join(work, "models")}
	if err := s.install(); err != nil {
		return err
	}
	if err := s.start(ctx); err != nil {
		return err
	}
	defer s.stop()
	t := &trial{server: s, conch: o.conch, tally: map[outcome]int{}, verbose: o.verbose}
	if err := t.all(ctx, o, bases); err != nil {
		return err
	}
	return t.report(o)
}

// readBases reads the valid repositories. Those with Python models are rarer, since they load slowly; those with ONNX models are
// only for a server that runs them.
func readBases(there *given) ([]map[string]string, error) {
	names, err := fs.Glob(baseFiles, "bases/*.txtar")
	if err != nil {
		return nil, fmt.Errorf("list the bases: %w", err)
	}
	var bases []map[string]string
	for _, name := range names {
		src, err := baseFiles.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read a base: %w", err)
		}
		times := 4
		switch {
		case strings.Contains(name, "python"):
			times = 1
		case strings.Contains(name, "onnx") && !there.has("onnxruntime"):
			continue
		case strings.Contains(name, "onnx"):
			times = 8
		}
		_, list, err := sections.Parse(src)
		if err != nil {
			return nil, fmt.Errorf("read the base %s: %w", name, err)
		}
		files := map[string]string{}
		for _, s := range list {
			files[s.Name] = s.Text
		}
		bases = append(bases, slices.Repeat([]map[string]string{expand(files)}, times)...)
	}
	return bases, nil
}

// all asks about every base as it is, and then about its mutations.
func (t *trial) all(ctx context.Context, o options, bases []map[string]string) error {
	for i := range o.mutations {
		r := rand.New(rand.NewPCG(o.seed, uint64(i)))
		m := newMutant(r, bases[r.IntN(len(bases))])
		for range pick(r, []int{1, 1, 1, 2, 3}) {
			m.change()
		}
		if err := t.one(ctx, fmt.Sprintf("s%dc%d_", o.seed, i), m.files); err != nil {
			return fmt.Errorf("case %d: %w", i, err)
		}
		if (i+1)%200 == 0 {
			fmt.Printf("%d: %v\n", i+1, t.tally)
		}
	}
	return nil
}

// report prints how it went, and keeps what `go test` replays.
func (t *trial) report(o options) error {
	fmt.Printf("%d repositories, %d models: %v\n", o.mutations, t.asked, t.tally)
	if o.record != "" {
		if err := t.write(o.record); err != nil {
			return err
		}
	}
	if bad := t.tally[verdict] + t.tally[words] + t.tally[unnamed] + t.tally[survived] + t.tally[filled]; bad > 0 {
		return errors.New(fmt.Sprint(bad, " disagreements"))
	}
	return nil
}
