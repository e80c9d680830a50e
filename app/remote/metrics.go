package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"conch/app/enginehost"
	"conch/app/remote/rest"
	"conch/engine/kserve/enginepb"
)

// page is what a server's metrics page told.
type page struct {
	summaries bool                   // it has them, also where no request came lately
	quantiles map[version][]quantile // of whole requests, where summaries are on
	buckets   map[version][]bucket   // of first responses, where histograms are on
	shares    map[version][]share    // where the requests since the page before lie in the buckets
	cpu       float64                // of all processors of its machine, 0 to 1
	memory    uint64                 // bytes that its machine uses
	gpus      []*enginepb.Gpu
	energy    []float64 // of each of gpus
}

// mostPage limits the page: a server with thousands of models has a few megabytes.
const mostPage = 32 << 20

// readMetrics reads the page once a second, and more seldom while it cannot be read.
func (s *Server) readMetrics(ctx context.Context, at *url.URL) {
	client, err := s.metricsClient(at)
	told, failures := enginehost.Metrics{}, 0
	for first := true; ; first = false {
		var p page
		if err == nil {
			p, err = s.getPage(ctx, client, at)
		}
		now := enginehost.Metrics{Quantiles: p.summaries, Histograms: !p.summaries && len(p.buckets) > 0}
		if failures++; err != nil {
			now.Trouble = fmt.Sprintf("%s cannot be read: %s", at.Redacted(), shortened(s.opts.concealed(err.Error())))
		} else {
			failures = 0
		}
		if ctx.Err() != nil {
			return
		}
		s.mu.Lock()
		p.shares = sharesOf(p.buckets, s.page.buckets)
		s.page = p
		s.mu.Unlock()
		if first || now != told {
			told = now
			s.tell(enginehost.Update{Metrics: &now})
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(waitOf(failures)):
		}
		if client != nil {
			err = nil
		}
	}
}

func (s *Server) metricsClient(at *url.URL) (*http.Client, error) {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if at.Scheme == "https" {
		var err error
		if cfg, err = s.opts.tlsConfig(); err != nil {
			return nil, err
		}
	}
	return &http.Client{
		Timeout:       answerFor,
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: cfg, MaxIdleConns: 1, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return rest.ErrRedirected },
	}, nil
}

func (s *Server) getPage(ctx context.Context, client *http.Client, at *url.URL) (page, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return page{}, err
	}
	// A token that goes to the server encrypted does not go to its metrics as plain text.
	if where, err := s.opts.address(); err == nil && (at.Scheme == "https" || !where.secure()) {
		for _, h := range s.opts.Headers {
			request.Header.Set(h.Name, h.Value)
		}
	}
	answer, err := client.Do(request)
	if err != nil {
		var whole *url.Error
		if errors.As(err, &whole) {
			err = whole.Err // without the address, which is named already
		}
		return page{}, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return page{}, fmt.Errorf("the answer is %s", answer.Status)
	}
	return readPage(io.LimitReader(answer.Body, mostPage))
}

// readPage reads what Conch shows of Triton's metrics (docs/triton/metrics.md, "Families").
func readPage(text io.Reader) (page, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(text)
	if err != nil {
		return page{}, fmt.Errorf("it is no page of metrics: %w", err)
	}
	p := page{cpu: min(first(families["nv_cpu_utilization"]), 1), memory: uint64(first(families["nv_cpu_memory_used_bytes"]))}
	summaries := families["nv_inference_request_summary_us"]
	p.summaries, p.quantiles = len(summaries.GetMetric()) > 0, quantilesOf(summaries)
	p.buckets = bucketsOf(families["nv_inference_first_response_histogram_ms"])
	p.gpus, p.energy = gpusOf(families)
	return p, nil
}

func first(f *dto.MetricFamily) float64 {
	for _, m := range f.GetMetric() {
		if v := m.GetGauge().GetValue(); isFigure(v) {
			return v
		}
	}
	return 0
}

// isFigure reports whether a number can be bytes, watts or a part of something. Sums of larger ones would not fit their types.
func isFigure(v float64) bool { return v >= 0 && v <= 1<<60 }

func label(m *dto.Metric, name string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}

// quantilesOf returns the quantiles of versions that had requests lately. A version that runs on GPUs has a summary for each of them, and no page
// tells the quantiles of all together: those of the slowest are returned.
func quantilesOf(f *dto.MetricFamily) map[version][]quantile {
	all := map[version][]quantile{}
	for _, m := range f.GetMetric() {
		var list []quantile
		for _, q := range m.GetSummary().GetQuantile() {
			if part, v := q.GetQuantile(), q.GetValue(); part >= 0 && part <= 1 && isFigure(v) {
				list = append(list, quantile{part, v * 1000})
			}
		}
		slices.SortFunc(list, func(a, b quantile) int { return int(math.Copysign(1, a.q-b.q)) })
		of := version{label(m, "model"), label(m, "version")}
		if len(list) > 0 && (all[of] == nil || all[of][len(all[of])-1].ns < list[len(list)-1].ns) {
			all[of] = list
		}
	}
	return all
}

// A machine has fewer GPUs than mostGPUs, and a UUID of a GPU, or of a part of one, has fewer bytes than longestUUID.
const (
	mostGPUs    = 64
	longestUUID = 128
)

// gpusOf returns the GPUs in the order in which the server lists them. It names them by UUID only. GPUs that no machine has are left out:
// what is returned here goes into the history, second by second. The energy of each is joules; -1 where the server tells none.
func gpusOf(families map[string]*dto.MetricFamily) (list []*enginepb.Gpu, energy []float64) {
	byID := map[string]*enginepb.Gpu{}
	each := func(family string, set func(g *enginepb.Gpu, v float64)) {
		for _, m := range families[family].GetMetric() {
			id := label(m, "gpu_uuid")
			g := byID[id]
			if g == nil && (len(list) == mostGPUs || !isUUID(id)) {
				continue
			}
			if g == nil {
				g = &enginepb.Gpu{Index: int32(len(list)), Device: fmt.Sprintf("GPU %d", len(list)), Uuid: id, Name: shortID(id), TotalBytes: -1, UsedBytes: -1, Utilization: -1, PowerWatts: -1, MaxPowerWatts: -1, Temperature: -1, ClockMhz: -1}
				byID[id], list, energy = g, append(list, g), append(energy, -1)
			}
			if v := m.GetGauge().GetValue() + m.GetCounter().GetValue(); isFigure(v) { // it is one of them
				set(g, v)
			}
		}
	}
	each("nv_gpu_memory_total_bytes", func(g *enginepb.Gpu, v float64) { g.TotalBytes = v })
	each("nv_gpu_memory_used_bytes", func(g *enginepb.Gpu, v float64) { g.UsedBytes = v })
	each("nv_gpu_utilization", func(g *enginepb.Gpu, v float64) { g.Utilization = v })
	each("nv_gpu_power_limit", func(g *enginepb.Gpu, v float64) { g.MaxPowerWatts = v })
	each("nv_gpu_power_usage", func(g *enginepb.Gpu, v float64) { g.PowerWatts = v })
	each("nv_energy_consumption", func(g *enginepb.Gpu, v float64) { energy[g.Index] = v })
	return list, energy
}

// isUUID reports whether a text can be the UUID of a GPU: "GPU-5c6d…", "MIG-5c6d…" or "MIG-GPU-5c6d…/1/0".
func isUUID(id string) bool {
	return len(id) <= longestUUID && !strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' })
}

// shortID returns enough of a UUID to tell GPUs of one machine apart.
func shortID(id string) string {
	const enough = len("GPU-") + 8
	return strings.TrimSpace(id[:min(len(id), enough)])
}
