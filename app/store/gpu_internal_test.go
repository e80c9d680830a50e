package store

import (
	"reflect"
	"testing"
)

// What was stored is read as it was, and a row that is cut off is an error.
func TestGPURows(t *testing.T) {
	for _, p := range []*GPUPoint{
		nil, {},
		{Utilization: Gauge{0.5, Extent{0, 1}, 1000}, Power: Gauge{70, Extent{70, 70}, 3_600_000}},
	} {
		blob := encodeGPU(p)
		if got, err := decodeGPU(blob); err != nil || !reflect.DeepEqual(got, p) {
			t.Errorf("%+v became %+v, %v", p, got, err)
		}
		for n := range blob {
			if _, err := decodeGPU(blob[:n:n]); err != errBadGPU {
				t.Errorf("%d of %d bytes: %v", n, len(blob), err)
			}
		}
	}
}
