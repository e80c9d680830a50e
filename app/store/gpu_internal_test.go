package store

import (
	"reflect"
	"testing"
)

// What was stored is read as it was, and a row that is cut off is an error.
func TestGPURows(t *testing.T) {
	for _, p := range []*GPUPoint{
		nil, {},
		{Utilization: Gauge{0.5, Extent{0, 1}, 1000}, Power: Gauge{70, Extent{70, 70}, 3_600_000}, Temperature: Gauge{41, Extent{40, 42}, 1000}, Limit: Gauge{400, Extent{400, 400}, 1000}, Drawn: Gauge{70.5, Extent{0, 99}, 1000}},
	} {
		blob := encodeGPU(p)
		if got, err := decodeGPU(blob); err != nil || !reflect.DeepEqual(got, p) {
			t.Errorf("%+v became %+v, %v", p, got, err)
		}
		for n := range blob {
			if isOld(p, n) {
				continue
			}
			if _, err := decodeGPU(blob[:n:n]); err != errBadGPU {
				t.Errorf("%d of %d bytes: %v", n, len(blob), err)
			}
		}
	}
}

// isOld reports whether the first bytes of a row are one of an older version, which ends before one of the later gauges.
func isOld(p *GPUPoint, n int) bool {
	gauges, end := p.gauges(), len(encodeGPU(p))
	for i := len(gauges) - 1; i >= oldGauges; i-- {
		end -= len(encodeGPU(&GPUPoint{Utilization: *gauges[i]})) - (len(gauges) - 1)
		if n == end {
			return true
		}
	}
	return false
}

// A row of an older version is read: what it does not have is not known, and joins what is.
func TestOldGPURow(t *testing.T) {
	p := &GPUPoint{Utilization: Gauge{0.5, Extent{0, 1}, 1000}, Power: Gauge{70, Extent{70, 70}, 1000}}
	blob := encodeGPU(p)
	for less, lacks := range []string{"nothing", "the energy", "a limit"} {
		if before, err := decodeGPU(blob[:len(blob)-less]); err != nil || !reflect.DeepEqual(before, p) {
			t.Fatalf("without %s: %+v, %v", lacks, before, err)
		}
	}
	old, err := decodeGPU(blob[:len(blob)-3])
	if err != nil || !reflect.DeepEqual(old, p) {
		t.Fatalf("%+v, %v", old, err)
	}
	heat := Gauge{41, Extent{41, 41}, 1000}
	if both := old.join(GPUPoint{Temperature: heat, Power: Gauge{90, Extent{90, 90}, 1000}}); both.Temperature != heat || both.Power != (Gauge{80, Extent{70, 90}, 2000}) || old.Temperature.known != 0 {
		t.Errorf("%+v", both)
	}
}
