package onnx_test

import (
	"bytes"
	"context"
	"flag"
	"math/rand/v2"
	"os"
	"testing"

	"conch/configedit/modelfile"
	"conch/engine/backend"
	"conch/engine/backend/onnx/onnxtest"
)

var mutations = flag.Int("mutations", 300, "how many damaged model files to load")

// TestDamagedModels loads files with bytes changed, cut and doubled. Any answer is right but a crash; a header
// that cannot be read is never a model that loads.
func TestDamagedModels(t *testing.T) {
	seeds := [][]byte{
		onnxtest.AddSub("batch", 4).Bytes(), onnxtest.Identity(onnxtest.String, "n").Bytes(),
		onnxtest.Total(2, "n").Bytes(), onnxtest.Slow(4, 30).Bytes(),
	}
	specs := make([]backend.Spec, len(seeds))
	for i := range seeds {
		specs[i] = specOf(t, seeds[i], nil)
	}
	b := newBackend(t)
	random := rand.New(rand.NewPCG(1, 2))
	loaded := 0
	for range *mutations {
		i := random.IntN(len(seeds))
		if loadDamaged(t, b, specs[i], onnxtest.Damage(random, seeds[i])) {
			loaded++
		}
	}
	t.Logf("%d of %d loaded", loaded, *mutations)
}

func loadDamaged(t *testing.T, b backend.Backend, spec backend.Spec, file []byte) bool {
	t.Helper()
	if err := os.WriteFile(spec.File, file, 0o644); err != nil {
		t.Fatal(err)
	}
	_, headerErr := modelfile.ReadONNX(bytes.NewReader(file), int64(len(file)))
	model, err := b.Load(context.Background(), spec)
	if err != nil {
		return false
	}
	defer model.Close()
	if headerErr != nil {
		t.Errorf("loads, but its header could not be read: %v", headerErr)
	}
	if instance, err := model.NewInstance(context.Background(), cpuInstance); err == nil {
		instance.Close()
	}
	return true
}
