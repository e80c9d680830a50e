package serve

import "conch/engine/option"

// Flags are the command line of `conch serve`: the repositories, the engine's options, and what the workbench tells the
// engine that it starts.
type Flags struct {
	ModelRepository []string `name:"model-repository" aliases:"model-store" sep:"none" required:"" placeholder:"DIR" help:"Model repository; may be given several times."`
	option.Options

	PrivateSocket string `name:"private-socket" hidden:"" placeholder:"PATH" help:"Unix socket for the workbench."`
	// The workbench starts its engine with these two: sentences for clients, which forbid until the private socket permits.
	WayToOverride  string `name:"way-to-override" hidden:"" placeholder:"SENTENCE" help:"Take no config and no files from load requests, and say this."`
	WayToTrust     string `name:"way-to-trust" hidden:"" placeholder:"SENTENCE" help:"Load no model that runs code of its own, and say this."`
	RestorePending bool   `name:"restore-pending" hidden:"" help:"Not ready before the workbench says that it has restored what was loaded."`
	ParentPipe     bool   `name:"parent-pipe" hidden:"" help:"End when standard input is closed."`
}
