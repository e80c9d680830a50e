package kserve

import (
	"math"
	"regexp"
	"time"

	"conch/engine/budget"
	"conch/engine/kserve/logging"
	"conch/engine/kserve/tracing"
	"conch/engine/option"
)

// Options are what HTTP and gRPC both can be told. The zero value is Triton's defaults.
type Options struct {
	Server ServerInfo
	// Restricted are the categories of calls that need a header.
	Restricted Restrictions
	// ForwardHeaders picks the headers of a request that become parameters of it (docs/triton/http.md, "Infer request");
	// nil = none.
	ForwardHeaders *regexp.Regexp
	// Memory bounds what requests and answers hold together; nil sets no bound.
	Memory *budget.Budget
	// Patience is how long a client may take for the next part of a request; 0 = Patience.
	Patience time.Duration
	// Tracer picks the requests that are traced, and Log is what clients change the log settings of; without them both
	// are refused.
	Tracer *tracing.Tracer
	Log    *logging.Log
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

// ServerInfo is what a server says of itself.
type ServerInfo struct {
	Name    string // what --id says
	Version string
}

// Limits of a connection that no flag changes.
const (
	// Patience is how long a client may take for the next part of a request. It is far more than a client that is alive
	// needs between two packets.
	Patience = 30 * time.Second
	// Idle is how long a connection may have no request. Clients open another when they need one.
	Idle = 10 * time.Minute
	// MaxHeader bounds the headers of an HTTP request, in bytes.
	MaxHeader = 64 << 10
	// MaxMessage bounds a whole request, with its tensors, in bytes. It is gRPC's; Triton has no bound over HTTP.
	MaxMessage = math.MaxInt32
)
