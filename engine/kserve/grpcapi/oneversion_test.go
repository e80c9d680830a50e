package grpcapi_test

import (
	"testing"

	"conch/engine/kserve/kservepb"
	"conch/engine/kserve/kservetest"
)

// A call and each request of a stream enter a model once, and leave its version in every case.
func TestOneLookForEachRequest(t *testing.T) {
	svc := kservetest.NewChanging()
	c := client(t, svc)
	request := func(broken bool) *kservepb.ModelInferRequest {
		r := request("1")
		r.Inputs[0].Datatype, r.Inputs[0].Shape = "FP32", []int64{3}
		if broken {
			r.RawInputContents = nil
		}
		return r
	}
	numbers := map[string]bool{}
	for range 4 {
		got, err := c.ModelInfer(background(t), request(false))
		if err != nil {
			t.Fatal(err)
		}
		numbers[got.ModelVersion] = true
	}
	if _, err := c.ModelInfer(background(t), request(true)); err == nil {
		t.Error("a request without data was answered")
	}
	lines, err := talk(background(t), t, c, request(false), request(true), request(false))
	if err != nil || len(lines) != 3 {
		t.Fatalf("%q, %v", lines, err)
	}
	for _, version := range []string{"1", "2", "3", "4"} {
		if !numbers[version] {
			t.Errorf("no call ran on version %s: one request looks more than once (%v)", version, numbers)
		}
	}
	if n := svc.Inside.Load(); n != 0 {
		t.Errorf("%d are inside after all was answered", n)
	}
}
