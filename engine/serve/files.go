package serve

import "conch/engine/option"

// The number of connections is limited by the files that the process may have open. Without free files, no model
// could be read, nothing saved and no metrics requested.
const (
	// metricsConnections is more than the number of clients that request metrics at a time.
	metricsConnections = 64
	// ownFiles is the minimum number of files that are reserved for models, logs, watches, the private socket
	// and the process itself.
	ownFiles = 128
)

// connectionsFor returns how many connections the HTTP port and the gRPC port may each serve, and how many the
// metrics port. It is the requested number (0: any number), within the limit of open files (0: not known). A quarter
// of the files stays reserved.
func connectionsFor(asked, files int) (each, metrics int) {
	if asked < 0 {
		asked = option.Default().MaxConnections
	}
	if files <= 0 {
		return asked, asked
	}
	metrics = min(metricsConnections, max(files/16, 1))
	fit := max((files-max(files/4, min(ownFiles, files/2))-metrics)/2, 1)
	if asked == 0 {
		return fit, metrics
	}
	return min(asked, fit), min(asked, metrics)
}
