//go:build unix

package app_test

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"conch/app"
	"conch/app/api"
	. "conch/app/apptest"
)

// gpuPage serves what a Triton with two GPUs tells of them; the second one does not tell its power.
func gpuPage(t *testing.T, away *atomic.Bool) string {
	t.Helper()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if away.Load() {
			http.Error(w, "gone", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, `# TYPE nv_gpu_utilization gauge
nv_gpu_utilization{gpu_uuid="GPU-a"} 0.5
nv_gpu_utilization{gpu_uuid="GPU-b"} 0
# TYPE nv_gpu_memory_total_bytes gauge
nv_gpu_memory_total_bytes{gpu_uuid="GPU-a"} 80000000000
nv_gpu_memory_total_bytes{gpu_uuid="GPU-b"} 40000000000
# TYPE nv_gpu_memory_used_bytes gauge
nv_gpu_memory_used_bytes{gpu_uuid="GPU-a"} 2000000000
nv_gpu_memory_used_bytes{gpu_uuid="GPU-b"} 1000000000
# TYPE nv_gpu_power_limit gauge
nv_gpu_power_limit{gpu_uuid="GPU-a"} 400
# TYPE nv_gpu_power_usage gauge
nv_gpu_power_usage{gpu_uuid="GPU-a"} 250.5
# TYPE nv_energy_consumption counter
nv_energy_consumption{gpu_uuid="GPU-a"} `, 1000+40*asked.Add(1), "\n")
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestGPUsOfAServer: the GPUs of a Triton are kept in its history, and what it does not tell is a gap.
func TestGPUsOfAServer(t *testing.T) {
	var away atomic.Bool
	p := StartPeer(t, CopyExamples(t))
	w := OpenWith(t, app.Options{})
	Call(t, w.Servers.SaveServer, &api.SaveServerRequest{Server: &api.Server{Name: "peer", Address: p.GRPC, Metrics: gpuPage(t, &away)}})
	Call(t, w.Servers.Attach, &api.AttachRequest{Name: "peer"})
	history := func() *api.QueryResponse {
		return Call(t, w.Metrics.Query, &api.QueryRequest{From: time.Now().Add(-time.Minute).UnixMilli(), StepMs: 1000})
	}
	out := until(t, history, func(out *api.QueryResponse) bool { // its names are there before its first second is
		return len(out.Gpus) == 2 && newest(out.Gpus[0].EnergyJoules) > 0
	})
	for i, want := range []struct {
		uuid                                    string
		utilization, used, total, powers, limit float64
	}{{"GPU-a", 50, 2e9, 80e9, 250.5, 400}, {"GPU-b", 0, 1e9, 40e9, 0, 0}} {
		g := out.Gpus[i]
		told := map[string][]float64{"utilization": g.UtilizationPercent, "used": g.UsedBytes, "total": g.TotalBytes, "power": g.PowerWatts, "limit": g.PowerLimit}
		for name, value := range map[string]float64{"utilization": want.utilization, "used": want.used, "total": want.total, "power": want.powers, "limit": want.limit} {
			if len(told[name]) != len(out.Time) || newest(told[name]) != value {
				t.Errorf("%s of %s: %v", name, want.uuid, told[name])
			}
		}
		if g.Uuid != want.uuid || int(g.Index) != i || g.Name != want.uuid {
			t.Errorf("GPU %d is %v", i, g)
		}
	}
	if used := newest(out.Gpus[0].EnergyJoules); math.Abs(math.Remainder(used, 40)) > 1e-6 { // it is made of a rate, so it is not whole to the last bit
		t.Errorf("in a second GPU-a used %v J, where its count grows by 40", used)
	}
	if used := newest(out.Gpus[1].EnergyJoules); used != 0 {
		t.Errorf("GPU-b used %v J, which nothing told", used)
	}
	away.Store(true)
	until(t, history, func(out *api.QueryResponse) bool {
		used := out.Gpus[0].UsedBytes
		return math.IsNaN(used[len(used)-1])
	})
}

// until asks for the history until it is as wanted: seconds come into it one after the other.
func until(t *testing.T, ask func() *api.QueryResponse, met func(*api.QueryResponse) bool) *api.QueryResponse {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		if out := ask(); met(out) {
			return out
		}
	}
	t.Fatalf("waited in vain: %v", ask())
	return nil
}

// newest returns the last value that is known; 0 where none is.
func newest(values []float64) (last float64) {
	for _, v := range values {
		if !math.IsNaN(v) {
			last = v
		}
	}
	return last
}
