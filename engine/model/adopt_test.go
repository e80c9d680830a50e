package model_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/model"
)

// A version may be asked about its instances while another version adopts them, and while it ends.
func TestVersionIsAskedWhileItsInstancesAreAdopted(t *testing.T) {
	b := &fake.Backend{}
	loader := &model.Loader{Backends: map[string]backend.Backend{b.Name(): b}, Log: slog.New(slog.DiscardHandler)}
	v, err := loadWith(t, loader, fakeModel)
	if err != nil {
		t.Fatal(err)
	}
	definition, err := loader.Define(folder(t, fakeModel+"instance_group [{ count: 2 kind: KIND_CPU }]", nil))
	if err != nil {
		t.Fatal(err)
	}
	next, err := loader.Update(context.Background(), v, definition, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	var asking sync.WaitGroup
	for _, asked := range []*model.Version{v, next} {
		asking.Go(func() {
			for range 100 {
				asked.Memory()
				asked.Instances()
				asked.Trouble()
			}
		})
	}
	next.Adopt()
	if err := v.Close(); err != nil {
		t.Error(err)
	}
	asking.Wait()
	if n := next.Instances(); n != 2 {
		t.Errorf("%d instances, want 2", n)
	}
	if err := next.Close(); err != nil {
		t.Error(err)
	}
}
