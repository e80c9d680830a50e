package httpapi

import (
	"net/http"

	"conch/engine/kserve"
	"conch/engine/kserve/httpapi/jsondoc"
	"conch/engine/option"
)

// Options are the settings of the HTTP endpoint. The zero value has Triton's defaults.
type Options struct {
	kserve.Options
	// MaxInput bounds JSON, raw-mode bodies and decompressed bodies, in bytes; 0 = the default of --http-max-input-size.
	MaxInput int64
	// MaxBody bounds a request with all its binary tensors, in bytes; 0 = kserve.MaxMessage.
	MaxBody int64
}

func (o Options) withDefaults() Options {
	o.Options = o.WithDefaults()
	if o.MaxInput == 0 {
		o.MaxInput = option.Default().HTTPMaxInput
	}
	if o.MaxBody == 0 {
		o.MaxBody = kserve.MaxMessage
	}
	return o
}

// New returns the handler of all paths under /v2.
func New(svc kserve.Service, opts Options) http.Handler {
	return &handler{svc: svc, opts: opts.withDefaults(), routes: routes(), known: jsondoc.NewKnown()}
}

// NewServer returns a server for New's handler. The time for a request's headers, and for each part of its body, is
// limited. The time for an answer is not, because a model may take any time.
func NewServer(svc kserve.Service, opts Options) *http.Server {
	opts = opts.withDefaults()
	return &http.Server{
		Handler:           New(svc, opts),
		ReadHeaderTimeout: opts.Patience,
		ReadTimeout:       opts.Patience, // for the first part of a body; call.read removes it
		IdleTimeout:       kserve.Idle,
		MaxHeaderBytes:    kserve.MaxHeader,
	}
}
