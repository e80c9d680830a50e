package serve

import "conch/engine/option"

// Flags are the command line of `conch serve`: the repositories, the engine's options, and the hidden flags with
// which the workbench starts its engine.
type Flags struct {
	ModelRepository []string `name:"model-repository" aliases:"model-store" sep:"none" required:"" placeholder:"DIR" help:"Model repository; may be given several times."`
	option.Options

	PrivateSocket string `name:"private-socket" hidden:"" placeholder:"PATH" help:"Unix socket for the workbench."`
	// The workbench starts its engine with these two sentences for clients. They forbid until a call on the private
	// socket permits.
	WayToOverride  string `name:"way-to-override" hidden:"" placeholder:"SENTENCE" help:"Refuse a config and files in load requests, with this sentence."`
	WayToTrust     string `name:"way-to-trust" hidden:"" placeholder:"SENTENCE" help:"Refuse to load models that run code of their own, with this sentence."`
	RestorePending bool   `name:"restore-pending" hidden:"" help:"Not ready until the workbench has reloaded the models of the last run."`
	ParentPipe     bool   `name:"parent-pipe" hidden:"" help:"Exit when standard input is closed."`
}
