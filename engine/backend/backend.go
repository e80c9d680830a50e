// Package backend is the contract between the engine and what runs models: ONNX Runtime, Python, …
//
// The life of one model version: Backend.Complete (optional) fills in its config; Backend.Load makes a Model (weights read,
// session made); Model.NewInstance makes each Instance; Instance.Execute runs batches; Instance.Close, then Model.Close.
//
//   - A Backend's methods may be called at the same time, for different versions. Close comes last, when no model is left.
//   - A Model's NewInstance is called while it is loaded, and again, also while other instances run or are made, when the
//     config's instance groups change or an instance has died. Close comes when all of its instances are closed.
//   - An Instance's Execute is called by one goroutine at a time; the instances of a model run side by side. Close is never
//     called while Execute runs. Responders may be open then: the engine has given their requests up.
//   - Requests and their inputs are the engine's, and valid until Execute returns. Responses and their outputs are the
//     backend's, and valid until the engine calls Release, once; it may do so at any time, from any goroutine, also when the
//     instance and its model are closed.
//
// Small interfaces beside these three are optional abilities. The engine looks for each by a type assertion when it has made the
// value, and does without where it is missing.
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
	// Execute runs the batch and ends every request in it exactly once before it returns: with Respond, Fail or Reschedule, or
	// by handing it to a Responder with Later. A decoupled model may give responses that are not Final before that. It marks
	// InputDone and InferDone on the way. ctx ends when nobody waits for the batch any more.
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

// Mortal is an optional ability of an Instance that may die while the engine lives, such as one in a process of its own.
//
// When it has died, Execute answers with errors what is in it, and returns. The engine answers what waits for the instance
// later, closes it, makes it anew with Model.NewInstance (after 1, 2, 4, … 60 seconds) and runs the model's warm-up; the
// model's state says why. Other instances go on meanwhile.
type Mortal interface {
	// Died is closed when the instance has died. It is always the same channel.
	Died() <-chan struct{}
	// Err says why, once Died is closed.
	Err() error
}

// Interrupter is an optional ability of an Instance: Interrupt ends the execution at hand, from another goroutine, as soon
// as the framework allows. The instance is closed after it, so it need not be fit for another.
type Interrupter interface {
	Interrupt()
}

// MemoryReporter is an optional ability of a Model and of an Instance: what it holds, at most once for each device. What a
// model tells is without what its instances tell themselves.
type MemoryReporter interface {
	Memory() []Memory
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
