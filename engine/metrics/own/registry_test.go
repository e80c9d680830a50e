package own_test

import (
	"reflect"
	"strings"
	"testing"

	"conch/engine/metrics/own"
)

// What several holders define alike is one metric, until the last has closed it.
func TestHolders(t *testing.T) {
	var r own.Registry
	made := func() (*own.Family, *own.Metric) {
		f, err := r.Family(own.Counter, "seen", "what was seen")
		if err != nil {
			t.Fatal(err)
		}
		m, err := f.Metric(map[string]string{"a": "1", "b": "2"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return f, m
	}
	f1, m1 := made()
	f2, m2 := made()
	if m1.Add(2) != nil || m2.Add(3) != nil {
		t.Error("they cannot be added to")
	}
	if v, err := m1.Value(); v != 5 || err != nil {
		t.Errorf("value %v, %v", v, err)
	}
	f1.Close()
	m1.Close()
	m1.Close()
	if got := r.Snapshot(); len(got) != 1 || got[0].Value != 5 || got[0].Description != "what was seen" {
		t.Errorf("%+v", got)
	}
	if m1.Add(1) == nil {
		t.Error("a closed metric counts")
	}
	m2.Close()
	f2.Close()
	if got := r.Snapshot(); got != nil {
		t.Errorf("left: %+v", got)
	}
	if _, err := r.Family(own.Gauge, "seen", ""); err != nil {
		t.Errorf("the name is not free: %v", err)
	}
}

func TestHistogram(t *testing.T) {
	var r own.Registry
	f, err := r.Family(own.Histogram, "h", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Metric(nil, []float64{2, 1}); err == nil {
		t.Error("buckets of any order")
	}
	m, err := f.Metric(nil, []float64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []float64{0.5, 1, 1.5, 9} {
		if err := m.Observe(v); err != nil {
			t.Error(err)
		}
	}
	got := r.Snapshot()[0]
	if got.Count != 4 || got.Value != 12 || !reflect.DeepEqual(got.Buckets, map[float64]uint64{1: 2, 2: 3}) {
		t.Errorf("%+v", got)
	}
}

func TestRefusals(t *testing.T) {
	var r own.Registry
	for name, want := range map[string]string{"nv_x": "server's own", "1x": "no name", "a b": "no name", "": "no name", "a-b": "no name"} {
		if _, err := r.Family(own.Gauge, name, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", name, err)
		}
	}
	f, err := r.Family(own.Gauge, "g", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Family(own.Counter, "g", ""); err == nil {
		t.Error("a gauge is a counter too")
	}
	for _, label := range []string{"", "1", "a-b", "__a", "le"} {
		if _, err := f.Metric(map[string]string{label: "x"}, nil); err == nil {
			t.Errorf("the label %q", label)
		}
	}
	g, err := f.Metric(nil, nil)
	if err != nil || g.Set(-1) != nil || g.Add(-1) != nil || g.Observe(1) == nil {
		t.Errorf("a gauge: %v", err)
	}
}
