package model_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/engine/backend"
	"conch/engine/backend/fake"
)

const threeInstances = fakeModel + "instance_group [{ count: 3 kind: KIND_CPU }]"

// Where a backend allows it, several instances of a model are made at a time.
func TestInstancesAreMadeInParallel(t *testing.T) {
	var making sync.WaitGroup
	making.Add(3)
	met := make(chan struct{})
	go func() {
		making.Wait()
		close(met)
	}()
	b := &fake.Backend{InParallel: 3, OnInstance: func(backend.InstanceSpec) error {
		making.Done()
		select {
		case <-met:
			return nil
		case <-time.After(30 * time.Second):
			return errors.New("the others are not made meanwhile")
		}
	}}
	v, err := load(b, folder(t, threeInstances, nil))
	if err != nil {
		t.Fatal(err)
	}
	if n := b.Instances.Load(); n != 3 {
		t.Errorf("%d instances", n)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}

// When one of several instances is not made, those that were made meanwhile are freed.
func TestInstancesInParallelAreFreed(t *testing.T) {
	last := make(chan struct{}) // closed when the last one is made
	b := &fake.Backend{InParallel: 3, OnInstance: func(spec backend.InstanceSpec) error {
		switch {
		case strings.HasSuffix(spec.Name, "2"):
			close(last)
		case strings.HasSuffix(spec.Name, "1"):
			<-last
			return errors.New("no second one")
		}
		return nil
	}}
	if _, err := load(b, folder(t, threeInstances, nil)); err == nil || err.Error() != "no second one" {
		t.Errorf("error: %v", err)
	}
	if instances, models := b.Instances.Load(), b.Models.Load(); instances != 0 || models != 0 {
		t.Errorf("%d instances and %d models were not freed", instances, models)
	}
}
