package faults_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/kserve/kservepb"
)

// TestDamagedModelFiles loads model files with bytes changed, cut, doubled and swapped. Each loads and can be asked, or is
// refused with a reason; the engine lives on, and a good model beside it answers all the time.
func TestDamagedModelFiles(t *testing.T) {
	f := begin(t)
	repository := t.TempDir()
	write(t, repository, "good/1/model.onnx", adder(7))
	s := serve(t, repository, "--model-control-mode=explicit", "--load-model=good")
	seeds := goodModels(t)
	random := rand.New(rand.NewPCG(3, 5))
	for i := range f.rounds(50) {
		file := onnxtest.Damage(random, seeds[random.IntN(len(seeds))])
		write(t, repository, "damaged/1/model.onnx", file)
		f.throw("damaged files: "+s.try(t), 1)
		if !s.alive() {
			f.lose("the engine, by file %d; it is kept as %s", i, keep(t, file))
		}
		if n, err := s.add(t.Context(), "good", int32(i)); !t.Failed() && (err != nil || n != 7) {
			f.lose("an answer of the good model, after file %d: %d, %v", i, n, err)
		}
	}
}

// goodModels are model files of several kinds.
func goodModels(t *testing.T) [][]byte {
	seeds := [][]byte{
		adder(1), onnxtest.AddSub("batch", 4).Bytes(), onnxtest.Identity(onnxtest.String, "n").Bytes(), onnxtest.NonZero().Bytes(),
		onnxtest.Total(2, "n").Bytes(), onnxtest.Slow(4, 30).Bytes(), onnxtest.Running().Bytes(),
	}
	examples, err := filepath.Glob("../../examples/repository/*/1/model.onnx")
	if err != nil || len(examples) == 0 {
		t.Fatalf("no example models: %v", err)
	}
	for _, path := range examples {
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		seeds = append(seeds, file)
	}
	return seeds
}

// try loads the damaged model and asks it once where it loads.
func (s *server) try(t *testing.T) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := s.RepositoryModelLoad(ctx, &kservepb.RepositoryModelLoadRequest{ModelName: "damaged"})
	switch {
	case status.Code(err) == codes.Unavailable && !s.alive(), status.Code(err) == codes.DeadlineExceeded:
		t.Errorf("no answer to a load: %v\n%s", err, s.log.tail())
		return "no answer"
	case err != nil && len(status.Convert(err).Message()) < 10:
		t.Errorf("a reason that says nothing: %v", err)
		return "refused without a reason"
	case err != nil:
		return "refused"
	}
	if err := s.ask(ctx, "damaged"); err != nil {
		return "loads and fails"
	}
	return "loads and works"
}

// ask sends a request of zeros that fits what the model says of itself.
func (s *server) ask(ctx context.Context, model string) error {
	about, err := s.ModelMetadata(ctx, &kservepb.ModelMetadataRequest{Name: model})
	if err != nil {
		return err
	}
	request := &kservepb.ModelInferRequest{ModelName: model}
	for _, in := range about.Inputs {
		elements := int64(1)
		shape := make([]int64, len(in.Shape))
		for i, d := range in.Shape {
			shape[i] = max(d, 1)
			elements *= shape[i]
		}
		if elements > 1<<20 {
			return status.Error(codes.ResourceExhausted, "too large to try")
		}
		request.Inputs = append(request.Inputs, &kservepb.ModelInferRequest_InferInputTensor{Name: in.Name, Datatype: in.Datatype, Shape: shape})
		request.RawInputContents = append(request.RawInputContents, make([]byte, elements*sizes[in.Datatype]))
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	_, err = s.ModelInfer(ctx, request)
	return err
}

// sizes are those of an element; an empty text is four bytes.
var sizes = map[string]int64{
	"BOOL": 1, "INT8": 1, "UINT8": 1, "INT16": 2, "UINT16": 2, "FP16": 2, "BF16": 2, "INT32": 4, "UINT32": 4, "FP32": 4, "BYTES": 4,
	"INT64": 8, "UINT64": 8, "FP64": 8,
}

// keep saves a file that did harm.
func keep(t *testing.T, file []byte) string {
	path := filepath.Join(os.TempDir(), "conch-damaged.onnx")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Error(err)
	}
	return path
}
