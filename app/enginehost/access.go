package enginehost

import (
	"context"

	"conch/engine/kserve/enginepb"
)

// Access is what an engine permits beyond serving the repository's data.
type Access struct {
	Overrides bool // load requests of clients may have configs and files
	Trusted   bool // models may run code of the repository
	StrictGPU bool // models that ask for GPUs which are not there are refused
}

// The engine's texts for clients and people while something is not permitted.
const (
	wayToOverride = `It belongs to the Conch workbench, whose user can permit it: "Take configs from clients", in the settings.`
	wayToTrust    = `Choose "Trust this repository" in the settings of Conch to run it.`
)

// accessFlags make the engine permit nothing until setAccess.
func accessFlags() []string {
	return []string{"--way-to-override=" + wayToOverride, "--way-to-trust=" + wayToTrust}
}

// setAccess tells a new engine what is permitted, before anything is loaded. A change is stored first
// and then sent to the running engine. So setAccess sends it again if it has changed meanwhile.
func (f *follower) setAccess(ctx context.Context) {
	if f.host.opts.Access == nil {
		return
	}
	for {
		now := f.host.opts.Access()
		_, err := f.client.private.SetAccess(ctx, &enginepb.SetAccessRequest{Overrides: now.Overrides, Trusted: now.Trusted, StrictGpu: now.StrictGPU})
		if err != nil {
			if ctx.Err() == nil {
				f.host.opts.Log.Warn("the engine could not be told what is permitted, and permits less", "error", err)
			}
			return
		}
		if f.host.opts.Access() == now {
			return
		}
	}
}
