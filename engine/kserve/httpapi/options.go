package httpapi

import (
	"net/http"
	"regexp"
	"time"

	"conch/engine/budget"
	"conch/engine/kserve"
	"conch/engine/kserve/logging"
	"conch/engine/kserve/tracing"
)

// DefaultMaxInput is Triton's --http-max-input-size.
const DefaultMaxInput = 64 << 20

// DefaultMaxBody bounds a whole request, binary tensors included: what gRPC takes at most. Triton has no
// bound there.
const DefaultMaxBody = 1<<31 - 1

// Options are the settings of the HTTP endpoint. The zero value is Triton's defaults.
type Options struct {
	Server kserve.ServerInfo
	// MaxInput bounds JSON, raw-mode bodies and decompressed bodies, in bytes; 0 = DefaultMaxInput.
	MaxInput int64
	// MaxBody bounds a request with all its binary tensors, in bytes; 0 = DefaultMaxBody.
	MaxBody int64
	// ForwardHeaders picks the request headers that become request parameters (docs/triton/http.md,
	// "Infer request"); nil = none.
	ForwardHeaders *regexp.Regexp
	// Restricted are the categories of calls that need a header.
	Restricted kserve.Restrictions
	// Memory bounds what requests and answers hold together; nil sets no bound.
	Memory *budget.Budget
	// Patience is how long a client may take for its headers, and then for each further part of its request; 0 = kserve.Patience.
	Patience time.Duration
	// Tracer picks the requests that are traced, and Log is what /v2/logging changes; without them both are refused.
	Tracer *tracing.Tracer
	Log    *logging.Log
}

func (o Options) withDefaults() Options {
	o.Server = o.Server.WithDefaults()
	if o.MaxInput == 0 {
		o.MaxInput = DefaultMaxInput
	}
	if o.MaxBody == 0 {
		o.MaxBody = DefaultMaxBody
	}
	if o.Patience == 0 {
		o.Patience = kserve.Patience
	}
	return o
}

// New makes the handler of everything under /v2.
func New(svc kserve.Service, opts Options) http.Handler {
	return &handler{svc: svc, opts: opts.withDefaults(), routes: routes()}
}

// NewServer makes a server for New's handler. A client has a while to send its headers, and then for each part of its
// request; an answer may take as long as it needs, because a model may.
func NewServer(svc kserve.Service, opts Options) *http.Server {
	opts = opts.withDefaults()
	return &http.Server{
		Handler:           New(svc, opts),
		ReadHeaderTimeout: opts.Patience,
		ReadTimeout:       opts.Patience, // of the first part of a body; call.read ends it
		IdleTimeout:       10 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
}
