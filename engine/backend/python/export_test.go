package python

import "conch/engine/backend"

// Kill kills the process of an instance as the system would.
func Kill(in backend.Instance) { killGroup(in.(*instance).process.cmd.Process.Pid) }

// Shared returns how much shared memory an instance has mapped.
func Shared(in backend.Instance) int { return in.(*instance).process.shared.size() }

// Pid returns the process of an instance.
func Pid(in backend.Instance) int { return in.(*instance).process.cmd.Process.Pid }
