package metricsapi

import (
	"bytes"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"conch/engine/kserve"
)

// Options are --metrics-config, --allow-cpu-metrics and --allow-gpu-metrics. The zero value has Triton's defaults.
type Options struct {
	NoCounters  bool // counter_latencies=false: the counters of models stay at 0
	Histograms  bool // histogram_latencies
	Summaries   bool // summary_latencies
	Quantiles   []float64
	NoProcessor bool
	NoGPUs      bool
	// Pinned returns the size of the pool of pinned memory, and how much of it is used; nil where there is none.
	Pinned func() (total, used int64)
}

// DefaultQuantiles are the quantiles of summaries when --metrics-config names none.
var DefaultQuantiles = []float64{0.5, 0.9, 0.95, 0.99, 0.999}

// New returns the handler of the metrics port.
func New(svc kserve.Service, o Options) http.Handler {
	if len(o.Quantiles) == 0 {
		o.Quantiles = DefaultQuantiles
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(newModels(svc, o), newResponses(svc), newOwn(svc), pinned{o.Pinned})
	if !o.NoProcessor {
		registry.MustRegister(newProcessor())
	}
	if !o.NoGPUs {
		registry.MustRegister(newGPUs(svc))
	}
	return &handler{gatherer: registry}
}

// NewServer returns a server for New's handler.
func NewServer(svc kserve.Service, o Options) *http.Server {
	return &http.Server{
		Handler:           New(svc, o),
		ReadHeaderTimeout: 10 * time.Second,
		WriteTimeout:      time.Minute,
		IdleTimeout:       5 * time.Minute,
		MaxHeaderBytes:    kserve.MaxHeader,
	}
}

type handler struct{ gatherer prometheus.Gatherer }

// ServeHTTP answers /metrics; every other path is an empty page (docs/triton/metrics.md, "The
// metrics page").
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		send(w, http.StatusMethodNotAllowed, "text/plain", []byte(`{"error":"Method Not Allowed"}`))
		return
	}
	var page []byte
	if r.URL.Path == "/metrics" || r.URL.Path == "/metrics/" {
		var err error
		if page, err = h.page(); err != nil {
			send(w, http.StatusInternalServerError, "text/plain", []byte("failed to collect metrics: "+err.Error()+"\n"))
			return
		}
	}
	send(w, http.StatusOK, "text/plain; charset=utf-8", page)
}

func (h *handler) page() ([]byte, error) {
	families, err := h.gatherer.Gather()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encoder := expfmt.NewEncoder(&out, expfmt.NewFormat(expfmt.TypeTextPlain))
	for _, f := range families {
		if err := encoder.Encode(f); err != nil {
			return nil, err
		}
	}
	return asTriton(out.Bytes()), nil
}

// send writes a whole reply. It ignores the error of a client that has left.
func send(w http.ResponseWriter, status int, kind string, body []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
