package kserve

import (
	"math"
	"regexp"
	"time"

	"conch/engine/budget"
	"conch/engine/kserve/logging"
	"conch/engine/kserve/refusals"
	"conch/engine/kserve/region"
	"conch/engine/kserve/tracing"
	"conch/engine/option"
)

// Options are the common options of HTTP and gRPC. The zero value has Triton's defaults.
type Options struct {
	Server ServerInfo
	// Restricted are the categories of calls that need a header.
	Restricted Restrictions
	// ForwardHeaders picks the headers of a request that become parameters of it (docs/triton/http.md, "Infer request");
	// nil = none.
	ForwardHeaders *regexp.Regexp
	// Memory bounds the memory of all requests and answers together; nil sets no bound.
	Memory *budget.Budget
	// Patience is how long a client may take for the next part of a request; 0 = Patience.
	Patience time.Duration
	// Tracer picks the traced requests. Log is the log whose settings clients may change. Without them, the trace and
	// log calls are refused.
	Tracer *tracing.Tracer
	Log    *logging.Log
	// Regions are the shared memory of clients; nil when it is off.
	Regions *region.Regions
	// Refusals keeps the requests that are answered with an error; nil keeps none.
	Refusals *refusals.Log
}

// WithDefaults fills in what is empty.
func (o Options) WithDefaults() Options {
	if o.Server.Name == "" {
		o.Server.Name = option.Default().ID
	}
	if o.Server.Version == "" {
		o.Server.Version = Version
	}
	if o.Patience == 0 {
		o.Patience = Patience
	}
	return o
}

// Version is the version of Triton that Conch follows; clients read it in the server's metadata.
const Version = "2.73.0"

// ServerInfo is a server's description of itself.
type ServerInfo struct {
	Name    string // the value of --id
	Version string
}

// Limits of a connection that no flag changes.
const (
	// Patience is how long a client may take for the next part of a request. It is far longer than a live client
	// needs between two packets.
	Patience = 30 * time.Second
	// Idle is how long a connection may have no request. Clients open a new connection when they
	// need one.
	Idle = 10 * time.Minute
	// MaxHeader bounds the headers of an HTTP request and the metadata of a gRPC call, in bytes.
	MaxHeader = 64 << 10
	// MaxMessage bounds a whole request, with its tensors, in bytes. It is gRPC's bound; Triton has none for
	// HTTP.
	MaxMessage = math.MaxInt32
)
