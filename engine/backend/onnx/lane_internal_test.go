package onnx

import (
	"fmt"
	"strings"
	"testing"

	"conch/engine/hostpolicy"
)

// A panic on a lane is one of the caller, who may recover; the lane goes on.
func TestPanicOnALane(t *testing.T) {
	l, err := newLane(hostpolicy.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.end()
	func() {
		defer func() {
			fault := recover()
			if told, ok := fault.(*laneFault); !ok || fmt.Sprint(fault) != "broken" || !strings.Contains(told.LogValue().String(), "TestPanicOnALane") {
				t.Errorf("recovered %v", fault)
			}
		}()
		l.do(func() { panic("broken") })
	}()
	done := false
	if l.do(func() { done = true }); !done {
		t.Error("the lane does nothing any more")
	}
}
