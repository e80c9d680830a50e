package device_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"conch/engine"
	"conch/engine/control"
	"conch/engine/control/controltest"
	"conch/engine/device"
	"conch/engine/kserve/engineapi"
	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/metricsapi"
)

// What the driver of a machine tells goes to the workbench and to the metrics page: for each GPU by its number and its UUID.
func TestWhatAMachineTells(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := device.WatchMachine(ctx)
	e := engine.New(engine.Options{
		Options: control.Options{Models: controltest.New(t, 1), Mode: control.Explicit},
		Devices: func() device.Snapshot {
			s := w.Known()
			s.Lost = []int{8, 9}
			return s
		},
	})
	told, err := engineapi.New(e, engineapi.Addresses{}, nil, nil).Sample(t.Context(), &enginepb.SampleRequest{})
	if err != nil || len(told.Gpus) != 8 || told.GpuTrouble != "" || !told.GpusRead || !slices.Equal(told.GpusLost, []int32{8, 9}) {
		t.Fatalf("%v, %v", told, err)
	}
	unread := engine.New(engine.Options{
		Options: control.Options{Models: controltest.New(t, 1), Mode: control.Explicit}, Devices: func() device.Snapshot { return device.Snapshot{} },
	})
	if told, err := engineapi.New(unread, engineapi.Addresses{}, nil, nil).Sample(t.Context(), &enginepb.SampleRequest{}); err != nil || told.GpusRead {
		t.Errorf("before the first answer of the driver: %v, %v", told, err)
	}
	answer := httptest.NewRecorder()
	metricsapi.New(e, metricsapi.Options{NoProcessor: true}).ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	page := answer.Body.String()
	for i, g := range told.Gpus {
		if int(g.Index) != i || g.TotalBytes != 40<<30 || g.UsedBytes != float64(i)*(1<<30) || g.Utilization != float64(i)/10 || g.PowerWatts != 55.5 || g.Temperature != 31 {
			t.Errorf("GPU %d is %v", i, g)
		}
		if line := `nv_gpu_power_usage{gpu_uuid="` + g.Uuid + `"} 55.5`; !strings.Contains(page, line) {
			t.Errorf("no %s in\n%s", line, page)
		}
	}
}
