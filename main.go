// Command conch is a workbench for Triton model repositories: a window, the same in a browser, an engine
// that serves models as Triton does, and a checker of configs. This file and its neighbours only wire parts together.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strconv"

	"github.com/alecthomas/kong"

	"conch/app/about"
	"conch/app/visible"
	"conch/engine/backend/onnx/ort"
	"conch/engine/option"
	"conch/engine/serve"
)

// commands is the command line.
type commands struct {
	Window  windowCommand  `cmd:"" default:"withargs" help:"Open a repository in a window."`
	Web     webCommand     `cmd:"" help:"Serve the workbench to a browser on this machine."`
	Serve   serveCommand   `cmd:"" help:"Serve models as Triton does, without the workbench."`
	Check   checkCommand   `cmd:"" help:"Check a repository for everything that Triton would refuse, without starting an engine."`
	Explain explainCommand `cmd:"" help:"Explain a rule that check reports: what it means, why Triton has it, and what to do."`
	Fmt     fmtCommand     `cmd:"" help:"Format config files; comments and blank lines stay."`
	Config  configCommand  `cmd:"" help:"Print a model's config as Triton would serve it, with everything filled in."`
	Export  exportCommand  `cmd:"" help:"Write the files that serve a repository with the real Triton: for Docker Compose, Kubernetes, KServe, or a command line."`
	New     newCommand     `cmd:"" help:"Write something to begin with."`
	Convert convertCommand `cmd:"" help:"Turn an ONNX model to FP16 or INT8, or to a plan of TensorRT, and say what that costs in precision and gains in time."`
	Runtime runtimeCommand `cmd:"" help:"List, install, choose and remove builds of ONNX Runtime."`

	Conversion conversionCommand `cmd:"" hidden:"" help:"Do what convert asks for, in a process of its own."`

	Licenses licensesCommand  `cmd:"" help:"Print the licences of everything that Conch contains."`
	Man      manCommand       `cmd:"" hidden:"" help:"Print the manual page."`
	Version  kong.VersionFlag `help:"Print the version."`
}

// vars are the values that the help quotes.
func vars() kong.Vars {
	usual := option.Default()
	return kong.Vars{
		"version":   "conch " + about.Full(),
		"http_port": strconv.Itoa(usual.HTTPPort), "grpc_port": strconv.Itoa(usual.GRPCPort), "metrics_port": strconv.Itoa(usual.MetricsPort),
	}
}

// misused is the exit status of a wrong command line. For `conch check` it also means "could not
// check".
const misused = 2

// exitStatus is an error that is already reported and only ends the process.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

func main() {
	if err := ort.DisableTelemetry(); err != nil { // also for the processes that the engine and its models start
		fmt.Fprintf(os.Stderr, "conch: %v\n", err)
		os.Exit(1)
	}
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	var c commands
	parser := kong.Must(&c,
		kong.Name("conch"),
		kong.Description("A workbench for Triton model repositories."),
		vars(),
		kong.KindMapper(reflect.String, kong.MapperFunc(verbatim)),
	)
	if len(args) > 0 && args[0] == "serve" {
		args = append(args[:1:1], serve.Arguments(args[1:])...)
	}
	parsed, err := parse(parser, args)
	if err = serve.Explain(err); err != nil {
		fmt.Fprintf(os.Stderr, "conch: %s; `conch --help` lists the commands and flags\n", visible.Lines(err.Error()))
		return misused
	}
	parsed.BindTo(context.Background(), (*context.Context)(nil))
	err = parsed.Run()
	var status exitStatus
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status): // kong wraps the errors of commands
		return int(status)
	}
	fmt.Fprintf(os.Stderr, "conch: %s\n", visible.Lines(err.Error()))
	return 1
}
