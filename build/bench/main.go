// Command bench prints the figures of the engine that the README states: start, reload, throughput and
// memory of a real `conch serve` on the example repository, each beside what it is compared with. `make bench` runs it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// section measures one thing and prints its rows.
type section struct {
	title string
	run   func(ctx context.Context, b bench) error
}

// bench is what every section needs.
type bench struct {
	binary     string // conch-headless
	repository string
	load       time.Duration // of each throughput row
}

func main() {
	b := bench{}
	flag.StringVar(&b.binary, "binary", "build/bin/conch-headless", "the program to measure")
	flag.StringVar(&b.repository, "repository", "examples/repository", "the repository to serve")
	flag.DurationVar(&b.load, "load", 2*time.Second, "how long each throughput row runs")
	flag.Parse()

	sections := []section{
		{"conch serve: start to ready", measureStart},
		{"save of a config to new model serving", measureReload},
		{"add_sub: requests per second and latency", measureThroughput},
		{"memory when idle", measureMemory},
	}
	for _, s := range sections {
		fmt.Printf("\n%s\n", s.title)
		if err := s.run(context.Background(), b); err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s: %v\n", s.title, err)
			os.Exit(1)
		}
	}
}

func row(name, format string, args ...any) {
	fmt.Printf("  %-34s %s\n", name, fmt.Sprintf(format, args...))
}

// copyRepository makes a copy that a section may change.
func copyRepository(from string) (string, error) {
	to, err := os.MkdirTemp("", "conch-bench-")
	if err != nil {
		return "", err
	}
	return to, os.CopyFS(filepath.Join(to, "repository"), os.DirFS(from))
}
