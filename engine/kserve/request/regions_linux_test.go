package request_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/budget"
	"conch/engine/cuda/cudatest"
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/kservetest"
	"conch/engine/kserve/region"
	"conch/engine/kserve/request"
	"conch/engine/tensor"
)

const large = 128 << 10

// object is a shared memory object of ones that is registered as the region "r".
func object(t *testing.T) (*region.Regions, string) {
	t.Helper()
	return objectOf(t, large, "r")
}

// objectOf is an object of so many ones that is registered by each name.
func objectOf(t *testing.T, size int, names ...string) (*region.Regions, string) {
	t.Helper()
	path := filepath.Join("/dev/shm", "conch-test-request-"+strconv.Itoa(os.Getpid()))
	if err := os.WriteFile(path, bytes.Repeat([]byte{1}, size), 0o600); err != nil {
		t.Skipf("this machine has no shared memory: %v", err)
	}
	t.Cleanup(func() { _ = os.Remove(path) })
	regions := region.New("no driver", nil)
	t.Cleanup(regions.Close)
	for _, name := range names {
		if err := regions.Register(name, filepath.Base(path), 0, uint64(size)); err != nil {
			t.Fatal(err)
		}
	}
	return regions, path
}

// entered is a request for a model.
func entered(t *testing.T, regions *region.Regions, config *modelconfig.ModelConfig, run func(*infer.Request) error) *request.Assembler {
	t.Helper()
	a := request.New(request.GRPC, "m", infer.Latest, &kserve.Options{Regions: regions}, new(budget.Account))
	if err := a.Enter(&kservetest.Service{
		ConfigFunc: func(string, int64) (*modelconfig.ModelConfig, error) { return config, nil },
		InferFunc: func(_ context.Context, r *infer.Request, sink infer.Sink) error {
			if err := run(r); err != nil {
				return err
			}
			return sink(&infer.Response{})
		},
	}); err != nil {
		t.Fatal(err)
	}
	return &a
}

// A model reads in the memory of a client what may change meanwhile without harm to others; all else is copied.
func TestWhatIsReadInTheClientsMemory(t *testing.T) {
	plain := &modelconfig.ModelConfig{}
	for name, c := range map[string]struct {
		kind     tensor.DataType
		size     uint64
		config   *modelconfig.ModelConfig
		borrowed bool
	}{
		"numbers":            {tensor.FP32, large, plain, true},
		"an image":           {tensor.Uint8, large, plain, true},
		"a small one":        {tensor.FP32, 1024, plain, false},
		"places":             {tensor.Int64, large, plain, false},
		"a mask":             {tensor.Bool, large, plain, false},
		"strings":            {tensor.Bytes, large, plain, false},
		"an unknown type":    {tensor.Invalid, large, plain, false},
		"answers are kept":   {tensor.FP32, large, &modelconfig.ModelConfig{ResponseCache: &modelconfig.ModelResponseCache{Enable: true}}, false},
		"an ensemble":        {tensor.FP32, large, &modelconfig.ModelConfig{SchedulingChoice: &modelconfig.ModelConfig_EnsembleScheduling{EnsembleScheduling: &modelconfig.ModelEnsembling{}}}, false},
		"batches of several": {tensor.FP32, large, &modelconfig.ModelConfig{SchedulingChoice: &modelconfig.ModelConfig_DynamicBatching{DynamicBatching: &modelconfig.ModelDynamicBatching{}}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			regions, path := object(t)
			a := entered(t, regions, c.config, nil)
			defer a.Leave()
			data, err := a.ReadRegion("IN", c.kind, request.Place{Region: "r", Size: c.size})
			if err != nil {
				t.Fatal(err)
			}
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err == nil {
				_, err = f.WriteAt([]byte{7}, 0)
				_ = f.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			if borrowed := data[0] == 7; borrowed != c.borrowed || uint64(len(data)) != c.size {
				t.Errorf("%d bytes, in the client's memory: %v", len(data), borrowed)
			}
		})
	}
}

// A client that shortens its memory while a model reads it gets an error. Its region goes when the request has ended.
func TestMemoryThatIsShortenedMeanwhile(t *testing.T) {
	regions, path := object(t)
	var data []byte
	a := entered(t, regions, &modelconfig.ModelConfig{}, func(*infer.Request) error {
		if err := regions.Unregister(region.System, "r"); err != nil {
			return err
		}
		if err := os.Truncate(path, 0); err != nil {
			return err
		}
		if ones := bytes.Count(data, []byte{1}); ones != 0 {
			t.Errorf("%d bytes are still there", ones)
		}
		return nil
	})
	var err error
	if data, err = a.ReadRegion("IN", tensor.FP32, request.Place{Region: "r", Size: large}); err != nil {
		t.Fatal(err)
	}
	var answers encoder
	err = a.Once(t.Context(), &answers)
	if err == nil || !strings.Contains(err.Error(), "shared memory region 'r' is shorter than when it was registered") || answers != 0 {
		t.Errorf("%d answers, %v", answers, err)
	}
	if list, _ := regions.Status(region.System, ""); len(list) != 1 {
		t.Errorf("while it is used: %v", list)
	}
	a.Leave()
	if list, _ := regions.Status(region.System, ""); len(list) != 0 {
		t.Errorf("afterwards: %v", list)
	}
}

// version reads inputs on GPU 1 where they are.
type version struct{ infer.Entered }

func (version) ReadsGPU(gpu int) bool  { return gpu == 1 }
func (version) WritesGPU(gpu int) bool { return gpu == 1 }
func (version) Leave()                 {}

// An input on a GPU stays there until the model reads it, where the model can, and what may change meanwhile does no harm.
func TestWhatStaysOnAGPU(t *testing.T) {
	owner := cudatest.Make(t, large)
	owner.Write(t, []byte{1}, 0)
	regions := region.New(cudatest.Library(t), nil)
	t.Cleanup(regions.Close)
	for name, device := range map[string]int64{"zero": 0, "one": 1} {
		if err := regions.RegisterCUDA(name, owner.Handle[:], device, large); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		region string
		kind   tensor.DataType
		size   uint64
		config *modelconfig.ModelConfig
		stays  bool
	}{
		"numbers":          {"one", tensor.FP32, large, nil, true},
		"another GPU":      {"zero", tensor.FP32, large, nil, false},
		"a small one":      {"one", tensor.FP32, 1024, nil, false},
		"places":           {"one", tensor.Int64, large, nil, false},
		"answers are kept": {"one", tensor.FP32, large, &modelconfig.ModelConfig{ResponseCache: &modelconfig.ModelResponseCache{Enable: true}}, false},
	} {
		a := request.New(request.GRPC, "m", infer.Latest, &kserve.Options{Regions: regions}, new(budget.Account))
		if err := a.Enter(&kservetest.Service{EnterFunc: func(string, int64) (infer.Target, error) {
			return infer.Target{Config: c.config, Version: version{}}, nil
		}}); err != nil {
			t.Fatal(err)
		}
		data, err := a.ReadRegion("IN", c.kind, request.Place{Region: c.region, Size: c.size})
		if err != nil {
			t.Fatal(err)
		}
		away := a.Away["IN"]
		if (away != nil) != c.stays || (data == nil) != c.stays {
			t.Errorf("%s: %v, and %d bytes here", name, away, len(data))
		}
		if away != nil && (away.GPU() != 1 || away.Size() != large) {
			t.Errorf("%s: %d bytes on GPU %d", name, away.Size(), away.GPU())
		}
		a.Leave()
	}
	if err := regions.Unregister(region.CUDA, ""); err != nil || owner.Opened(t) != 0 {
		t.Errorf("afterwards it is open %d times, %v", owner.Opened(t), err)
	}
}

// A model gets the places of large outputs on its GPU, and what it has written there is left alone. All other outputs are copied from
// the answer, as are those that nobody wrote.
func TestOutputsThatLand(t *testing.T) {
	owner := cudatest.Make(t, 4*large)
	regions := region.New(cudatest.Library(t), nil)
	t.Cleanup(regions.Close)
	for name, device := range map[string]int64{"zero": 0, "one": 1} {
		if err := regions.RegisterCUDA(name, owner.Handle[:], device, 4*large); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		region string
		size   uint64
		traced *infer.Trace
		place  bool
	}{
		"on its GPU": {"one", large, nil, true}, "elsewhere": {"zero", large, nil, false}, "a small one": {"one", 1024, nil, false},
		"traced": {"one", large, &infer.Trace{}, false},
	} {
		for _, lands := range []bool{false, true} {
			owner.Write(t, []byte("before"), 0)
			a := request.New(request.GRPC, "m", infer.Latest, &kserve.Options{Regions: regions}, new(budget.Account))
			a.Trace = c.traced
			if err := a.Enter(&kservetest.Service{EnterFunc: func(string, int64) (infer.Target, error) {
				return infer.Target{Config: &modelconfig.ModelConfig{}, Version: landing{t, c.place, lands}}, nil
			}}); err != nil {
				t.Fatal(err)
			}
			if err := a.AddRegionOutput("OUT", request.Place{Region: c.region, Size: c.size}); err != nil {
				t.Fatal(err)
			}
			var answers encoder
			if err := a.Once(t.Context(), &answers); err != nil || answers != 1 {
				t.Errorf("%s: %d answers, %v", name, answers, err)
			}
			want := "answer"
			if c.place && lands {
				want = "before" // the model of this test writes nothing
			}
			if got := string(owner.Bytes(t)[:6]); got != want {
				t.Errorf("%s, lands %v: %q", name, lands, got)
			}
			a.Leave()
		}
	}
}

// landing is a version on GPU 1 whose answer is in its place, if it has one and lands.
type landing struct {
	t            *testing.T
	place, lands bool
}

func (landing) WritesGPU(gpu int) bool { return gpu == 1 }
func (landing) Leave()                 {}

func (l landing) Infer(_ context.Context, r *infer.Request, sink infer.Sink) error {
	place := r.Landings["OUT"]
	if (place != nil) != l.place || place != nil && (place.GPU() != 1 || place.Size() != large) {
		l.t.Errorf("the place is %v", place)
	}
	response := &infer.Response{Outputs: []tensor.Tensor{{Name: "OUT", Type: tensor.Uint8, Shape: tensor.Shape{6}, Data: []byte("answer")}}, Final: true}
	if place != nil && l.lands {
		response.Outputs[0].Data, response.Landed = nil, []string{"OUT"}
	}
	return sink(response)
}
