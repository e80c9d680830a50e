// Package backend is the contract between the engine and what runs models: ONNX Runtime, Python, …
//
// Life of one model version: Backend.Load makes a Model (weights read, session made), Model.NewInstance makes
// each Instance, Instance.Execute runs batches, Instance.Close, then Model.Close. A Model is shared by
// its instances; the engine calls Close on every instance before Close on the model, and never while an
// Execute of it is in flight. Execute is called from one goroutine at a time for each instance; instances of one
// model run side by side.
//
// Every implementation runs the conformance suite in backendtest.
package backend

import (
	"context"
	"log/slog"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
)

// Backend makes models of one kind.
type Backend interface {
	// Name is what a config's `backend` field says: "onnxruntime".
	Name() string
	// Load makes one version of a model ready to be given instances. An error is an *infer.Error with the
	// backend's words where Triton's backend has some. Cancelling ctx gives up as soon as the framework allows.
	Load(ctx context.Context, spec Spec) (Model, error)
	// Close frees what the backend holds. No model of it is left when it is called.
	Close() error
}

// Spec is everything a backend may know of the version it loads.
type Spec struct {
	Name       string
	Version    int64
	ModelDir   string // …/repository/digits
	VersionDir string // …/repository/digits/1
	File       string // the model file's or folder's absolute path, chosen by default_model_filename
	// Config is normalised and completed (configedit/derive). It is shared and must not be changed.
	Config *modelconfig.ModelConfig
	Log    *slog.Logger
}

// Model is one loaded version.
type Model interface {
	NewInstance(ctx context.Context, spec InstanceSpec) (Instance, error)
	Close() error
}

// InstanceSpec says which instance to make.
type InstanceSpec struct {
	Name   string // "digits_0_1": group name and index
	Kind   modelconfig.ModelInstanceGroup_Kind
	Device int // GPU number; 0 for CPU
}

// Instance executes batches, one at a time.
type Instance interface {
	// Execute runs the batch and answers every request in it exactly once (decoupled models: ends it exactly
	// once) through Respond or Fail before it returns. It marks InputDone and InferDone on the way.
	Execute(ctx context.Context, batch *Batch)
	Close() error
}

// Caller is an optional ability of an Instance: while it executes, it makes requests to other models of the engine (business
// logic scripting). Calls is called once, before the first Execute.
//
// models runs a request by all the rules of a client's: queues, checks, statistics. Its context is that of Execute or of the
// Responder of the request for which it is made, or comes from it: a request to another model ends with that one. Any number
// may be made at a time, from any goroutine. Models that call each other in a circle get an error.
type Caller interface {
	Calls(models infer.Handler)
}

// Interrupter is an optional ability of an Instance: Interrupt ends the execution at hand, from another goroutine, as soon
// as the framework allows. The instance is closed after it, so it need not be fit for another.
type Interrupter interface {
	Interrupt()
}

// MemoryReporter is an optional ability of a Model: how many bytes its weights and arenas hold.
type MemoryReporter interface {
	MemoryBytes() uint64
}

// FileLister is an optional ability of a Backend: the files that a load reads into memory as a whole, where they are more
// than Spec.File. Files that cannot be found out are left out: Load tells what is wrong with them.
type FileLister interface {
	Files(spec Spec) []string
}

// Versioned is an optional ability of a Backend: the framework's name and version, "ONNX Runtime 1.30.0".
type Versioned interface {
	Runtime() string
}

// Troubled is an optional ability of a Backend: why it can load nothing at the moment and what to do about it; ""
// when all is well.
type Troubled interface {
	Trouble() string
}

// Releaser is an optional ability of a Backend: ReleaseMemory gives back to the system what its models hold and do not use
// at the moment. Executions may be under way.
type Releaser interface {
	ReleaseMemory()
}

// Completer is an optional ability of a Backend: Complete fills in what the config of spec leaves out, before Load, from
// what the backend knows of the model. It gives a config of its own or the one that it was given, which it does not
// change. To complete what it gave changes nothing more, and what the config says itself stays. An error is an
// *infer.Error, as that of Load.
type Completer interface {
	Complete(ctx context.Context, spec Spec) (*modelconfig.ModelConfig, error)
}
