package serve

import "conch/engine/option"

// Connections are fitted to the files that the process may have open. Beyond them no model could be read, nothing saved and
// no metrics asked for.
const (
	// metricsConnections are more than ask for metrics at a time.
	metricsConnections = 64
	// ownFiles is the least that is kept for models, logs, watches, the private socket and the processes' own.
	ownFiles = 128
)

// connectionsFor is how many connections each of the HTTP and the gRPC port may serve, and how many the metrics port: as
// many as were asked for (0: any number) and as the files allow (0: not known), of which a quarter is
// kept.
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
