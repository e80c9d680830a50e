// Package backend is the contract between the engine and the frameworks that run models: ONNX Runtime, Python, …
//
// The life of one model version: Backend.Complete (optional) fills in its config; Backend.Load makes a Model (weights read,
// session made); Model.NewInstance makes each Instance; Instance.Execute runs batches; Instance.Close, then Model.Close.
//
//   - A Backend's methods may be called at the same time, for different versions. Close is called last, when no model is left.
//   - A Model's NewInstance is called during the load, and again when the config's instance groups change or an instance has
//     died, also while other instances run or are made. Close is called when all of its instances are closed.
//   - An Instance's Execute is called by one goroutine at a time, unless it is Eager; the instances of a model run side by side. Close
//     is never called while Execute runs. Responders may be open then: the engine has given up their requests.
//   - Requests and their inputs belong to the engine, and are valid until Execute returns. Responses and their outputs belong
//     to the backend, and are valid until the engine calls Release, once. The engine may call it at any time, from any
//     goroutine, also when the instance and its model are closed.
//
// The other interfaces are optional abilities. After the engine has made a value, it looks for each ability by a type
// assertion.
//
// Every implementation runs the conformance suite in backendtest.
package backend

import (
	"context"
	"log/slog"
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/budget"
	"conch/engine/hostpolicy"
	"conch/engine/infer"
	"conch/engine/metrics/own"
)

// Backend makes models of one kind.
type Backend interface {
	// Name returns the name in a config's `backend` field: "onnxruntime".
	Name() string
	// Load loads one version of a model, without instances. An error is an *infer.Error, in the words of Triton's backend
	// where there are some. When ctx ends, Load returns as soon as the framework allows.
	Load(ctx context.Context, spec Spec) (Model, error)
	// Close frees what the backend holds. All its models are closed before.
	Close() error
}

// Spec is what a backend may know about the version that it loads.
type Spec struct {
	Name       string
	Version    int64
	ModelDir   string // …/repository/digits
	VersionDir string // …/repository/digits/1
	File       string // the model file's or folder's absolute path, chosen by default_model_filename
	// Config is normalised and completed (configedit/derive). It is shared and must not be changed.
	Config *modelconfig.ModelConfig
	// Devices are those on which the instances will run, each once; the first is that of the first instance. They may differ
	// from what Config asks for: a group of KIND_GPU runs on the CPU where there is no GPU.
	Devices []Device
	// Policy is what the first instance is bound to. Load runs on a thread that is bound so.
	Policy hostpolicy.Policy
	// Memory counts what requests and answers hold. A backend counts what it makes of outputs, where that takes more than
	// their bytes, and refuses a request with the error of Grow. The strings that it makes of inputs are counted. nil has no
	// bound.
	Memory *budget.Budget
	// Server loads and unloads other models for a model that asks; nil where nobody does.
	Server Server
	// Metrics are the metrics that models define themselves; nil where none are kept.
	Metrics *own.Registry
	Log     *slog.Logger
	// Imported gets files outside of the model's folder that code of the model came from, each once for an instance, so that the
	// model is loaded again when one changes, and those that would have a module that was not found. It does not wait. nil where
	// nobody listens.
	Imported func([]Import)
	// Progress tells people what the load does at the moment: "installing 7 packages". nil where nobody listens.
	Progress func(string)
}

// Tell tells people what the load does at the moment.
func (s Spec) Tell(text string) {
	if s.Progress != nil {
		s.Progress(text)
	}
}

// Import is a file as it was when code of a model came from it.
type Import struct {
	Path string // absolute
	Look FileLook
}

// FileLook is what a glance at a file shows. The zero value is that of a file that is not there.
type FileLook struct {
	Size     int64
	Modified int64 // nanoseconds
}

// Server controls the models of the engine. Its errors are those of a client's request. What a model asks for in NewInstance or
// in Execute has the values of that context, so that models that load each other get an error instead of waiting for ever.
type Server interface {
	LoadModel(ctx context.Context, name, config string, files map[string][]byte) error
	UnloadModel(name string, dependents bool) error
	// ModelReady reports whether a version is ready, infer.Latest for any; an unknown model is not.
	ModelReady(ctx context.Context, name string, version int64) bool
}

// Model is one loaded version.
type Model interface {
	NewInstance(ctx context.Context, spec InstanceSpec) (Instance, error)
	Close() error
}

// Parallel is an optional ability of a Model: NewInstance may be called several times at once. Parallel returns how many times.
type Parallel interface {
	Parallel() int
}

// InstanceSpec says which instance to make.
type InstanceSpec struct {
	Name string // "digits_0_1": group name and index; the same on each GPU of the group
	// Kind is KIND_GPU for an instance on a GPU, KIND_CPU for one on the CPU, and KIND_MODEL where the model decides.
	Kind   modelconfig.ModelInstanceGroup_Kind
	Device int // GPU number; 0 for CPU
	// Policy is what the instance is bound to. NewInstance and Execute run on a thread that is bound so; a backend binds what it
	// starts elsewhere.
	Policy hostpolicy.Policy
}

// Instance executes batches, one at a time.
type Instance interface {
	// Execute runs the batch and ends every request in it exactly once before it returns: with Respond, Fail or Reschedule, or
	// with Later, which leaves it to a Responder. A decoupled model may send responses that are not Final before that. Execute
	// calls InputDone and InferDone on the way. ctx ends when no client waits for the batch any more.
	Execute(ctx context.Context, batch *Batch)
	Close() error
}

// Caller is an optional ability of an Instance: while it executes, it makes requests to other models of the engine (business
// logic scripting). Calls is called once, before the first Execute.
//
// models runs a request like a client's, with queues, checks and statistics. Its context is the context of Execute, or of the
// Responder of the request for which the call is made, or is derived from it, so that a call ends with its request. Calls may
// be made at the same time, from any goroutine. Models that call each other in a circle get an error.
type Caller interface {
	Calls(models infer.Handler)
}

// Mortal is an optional ability of an Instance that may die while the engine lives, such as one in a process of its own.
//
// When the instance has died, Execute answers its requests with errors, and returns. The engine fails the requests with open
// Responders, closes the instance, makes it again with Model.NewInstance (after 1, 2, 4, … 60 seconds) and runs the model's
// warm-up. The model's state says why. Other instances continue meanwhile.
type Mortal interface {
	// Died is closed when the instance has died. It is always the same channel.
	Died() <-chan struct{}
	// Err returns why, after Died is closed.
	Err() error
}

// Eager is an optional ability of an Instance: it takes batches before it has finished the one that runs, so that it begins the
// next without waiting for the engine. Only a Mortal instance has it.
//
// Execute may then be called by several goroutines at the same time. The batches run one after the other, in the order in which
// Execute was called. The instance calls Batch.Start when a batch begins, and Batch.InferDone when it has ended and before the next
// one begins. A batch that has not begun when its ctx ends or the instance dies never begins: Execute returns, and has neither called
// Start nor ended a request. The engine gives such a batch to the instance that is made again, beside others in any order. An instance
// that finds, when it has died, that a batch had not begun after all calls Batch.TakeBack.
type Eager interface {
	// Ahead returns how many batches the instance takes beside the one that runs. With 0 it is as if it were not Eager. It is the
	// same for all instances of a model.
	Ahead() int
}

// Prober is an optional ability of an Instance whose program has a say in whether the model is ready. Ready returns why it
// is not. It may be called at any time, from any goroutine, also while the instance executes; it returns when ctx ends.
type Prober interface {
	Ready(ctx context.Context) error
}

// Interrupter is an optional ability of an Instance: Interrupt ends the current execution, from another goroutine, as soon
// as the framework allows. The instance is closed after it and runs no other execution.
type Interrupter interface {
	Interrupt()
}

// Process is the operating system's process that an instance runs in.
type Process struct {
	PID      int
	Started  time.Time
	Resident uint64        // bytes in memory, without what it shares with other programs
	CPU      time.Duration // since it was started
	Debugger string        // where it listens for a debugger: "127.0.0.1:5678"; "" when it does not
}

// Housed is an optional ability of an Instance that runs in a process of its own. Process may be called at any time; it returns
// false when the process has ended.
type Housed interface {
	Process() (Process, bool)
}

// Inspectable is an optional ability of an Instance whose execution can be looked at and broken off from another goroutine.
type Inspectable interface {
	// Stacks returns as text where each thread of the program is. What runs goes on.
	Stacks(ctx context.Context) (string, error)
	// Break ends the current execution. The instance goes on where the framework allows it; otherwise it dies (Mortal). It
	// returns how the execution ended, as a sentence for people, and an error when none runs.
	Break(ctx context.Context) (string, error)
}

// Debuggable is an optional ability of an Instance: Debug has it listen for a debugger until it ends, and returns where,
// "127.0.0.1:5678". Asked again it returns the same. It listens on this machine only.
type Debuggable interface {
	Debug(ctx context.Context) (string, error)
}

// MemoryReporter is an optional ability of a Model and of an Instance: the memory that it holds, at most once for each device.
// A model's numbers do not include those of its instances. They are measured; the size of a file is no answer, unless the
// file is mapped.
type MemoryReporter interface {
	Memory() []Memory
}

// FileLister is an optional ability of a Backend: the files that a load reads into memory, where they are more than
// Spec.File. It leaves out files that it cannot determine; Load returns an error about them.
type FileLister interface {
	Files(spec Spec) []string
}

// Versioned is an optional ability of a Backend: the framework's name and version, "ONNX Runtime 1.30.0".
type Versioned interface {
	Runtime() string
}

// Accelerated is an optional ability of a Backend: the accelerator of all models that name none and are on no GPU of NVIDIA, "webgpu"; ""
// for the processor.
type Accelerated interface {
	ForAll() string
}

// LibraryUser is an optional ability of a Backend: the file of the framework's library that this process has opened; "" before a model
// needed it.
type LibraryUser interface {
	LibraryFile() string
}

// Troubled is an optional ability of a Backend: why it cannot load models at the moment, and what to do about it; "" when it
// can.
type Troubled interface {
	Trouble() string
}

// DataOnly is an optional ability of a Backend that configedit/backends does not list, such as one for tests: its models are data.
// Without it they count as code of their repository, as those of a user's program do (configedit/reach.Code).
type DataOnly interface {
	DataOnly() bool
}

// Releaser is an optional ability of a Backend: ReleaseMemory returns memory to the system that its models do not use at the
// moment. Executions may run meanwhile.
type Releaser interface {
	ReleaseMemory()
}

// Completer is an optional ability of a Backend: before Load, Complete fills in what the config of spec leaves out, from the
// model's files. It returns a new config, or the given one, which it does not change. It keeps what the config says, and
// completing its result again changes nothing. An error is an *infer.Error, as in Load.
type Completer interface {
	Complete(ctx context.Context, spec Spec) (*modelconfig.ModelConfig, error)
}

// Installer is an optional ability of a Backend: it installs packages that a model needs into environments that Conch keeps.
// A load installs nothing that was not allowed: packages are downloaded, and may run code of their own meanwhile.
type Installer interface {
	// Offer returns what could be installed for the model in this folder, as its newest load found out; nil for nothing.
	Offer(modelDir string) *Offer
	// Allow lets the next loads install what an offer names.
	Allow(offer string)
	// Environments returns what was installed. RemoveEnvironment removes one that no process uses.
	Environments() []Environment
	RemoveEnvironment(ctx context.Context, id string) error
}

// Needy is an optional ability of a Backend: it runs models by packages that may be missing.
type Needy interface {
	// Missing returns what a model that brings no packages of its own lacks; nil for nothing. A load asks the same again.
	Missing(ctx context.Context) (*Missing, error)
}

// Missing is what the models of a backend lack, and what brings it.
type Missing struct {
	Modules, Packages []string
	Python            string
}

// Offer is what could be installed for a model.
type Offer struct {
	ID       string
	Packages []string // as pip takes them: "torch>=2.4"
	// From says who asks for them: "requirements.txt", "backend 'pytorch'".
	From string
	// Weight is what they take on the disk, for people: "2.1 GB"; "" where that is not known.
	Weight string
}

// Environment is a folder with packages that were installed.
type Environment struct {
	ID, For, Python, Dir string
	Packages             []string
	Bytes                int64
	Made, Used           time.Time
	InUse                bool // by a process of Conch
}
