package conversion_test

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"conch/app/conversion"
	"conch/app/tensorjson"
	"conch/configedit/modelconfig"
)

const inputs = `backend: "onnxruntime"
max_batch_size: 8
input [
  { name: "float" data_type: TYPE_FP32 dims: [ 3, -1 ] },
  { name: "left out" data_type: TYPE_FP32 dims: [ 2 ] optional: true },
  { name: "whole" data_type: TYPE_INT64 dims: [ 50 ] },
  { name: "truth" data_type: TYPE_BOOL dims: [ 50 ] },
  { name: "text" data_type: TYPE_STRING dims: [ 2 ] }
]
`

// The window and `conch convert --random` make the same values: both are held to this table (frontend/src/lib/tensor-random.test.ts).
func TestRandomAsInTheWindow(t *testing.T) {
	text, err := os.ReadFile("testdata/random.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Datatype string
		Seed     uint32
		Count    int64
		Hex      string
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) == 0 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, c := range cases {
		if raw, err := conversion.RandomValues(c.Datatype, c.Seed, c.Count); err != nil || hex.EncodeToString(raw) != c.Hex {
			t.Errorf("%s: %x, %v, want %s", c.Datatype, raw, err, c.Hex)
		}
	}
}

// Random requests have the types and shapes of the inputs, and are the same ones each time.
func TestRandom(t *testing.T) {
	source, err := model(t, inputs, "1/model.onnx")
	if err != nil {
		t.Fatal(err)
	}
	list, err := source.Random(3)
	if err != nil || len(list) != 3 {
		t.Fatalf("%d requests, %v", len(list), err)
	}
	again, err := source.Random(3)
	if err != nil || !proto.Equal(list[2], again[2]) || proto.Equal(list[0], list[1]) || len(conversion.Once(list)) != 3 {
		t.Errorf("%v, then %v, %v", list, again, err)
	}
	shapes := map[string][]int64{"float": {1, 3, 1}, "whole": {1, 50}, "truth": {1, 50}, "text": {1, 2}}
	for _, in := range list[0].Inputs {
		if !reflect.DeepEqual(in.Shape, shapes[in.Name]) {
			t.Errorf("%s is %v", in.Name, in.Shape)
		}
		delete(shapes, in.Name)
		values, _, err := tensorjson.Literals(in.Datatype, in.GetRaw())
		if err != nil {
			t.Fatal(err)
		}
		switch in.Name {
		case "float": // that of the window's generator with seed 1
			first := math.Float32frombits(binary.LittleEndian.Uint32(in.GetRaw()))
			if math.Abs(float64(first)-0.6270739405881613) > 1e-6 {
				t.Errorf("the first value is %v", first)
			}
		case "whole":
			if slices.ContainsFunc(values, func(v string) bool { return len(v) > 3 || strings.HasPrefix(v, "-") }) {
				t.Errorf("whole numbers %v", values)
			}
		case "truth":
			if !slices.Contains(values, "true") || !slices.Contains(values, "false") {
				t.Errorf("truths %v", values)
			}
		case "text":
			if in.Datatype != "BYTES" || !strings.Contains(values[0], "text ") {
				t.Errorf("%s %v", in.Datatype, values)
			}
		}
	}
	if len(shapes) > 0 {
		t.Errorf("there are no %v", shapes)
	}
}

// What cannot be made says why.
func TestRandomRefuses(t *testing.T) {
	for want, given := range map[string]struct {
		dims     string
		requests int
	}{
		"65 is not a number of random requests from 0 to 64":                                     {"1", 65},
		"-1 is not a number of random requests from 0 to 64":                                     {"1", -1},
		`random values of input "x": all requests together are more than 512 MiB: ask for fewer`: {"200000000", 1},
		`random values of input "x": the shape [1, 300000000] has more than 268435456 elements`:  {"300000000", 1},
	} {
		source, err := model(t, strings.Replace(onnx, "3, -1", given.dims, 1), "1/model.onnx")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := source.Random(given.requests); err == nil || err.Error() != want {
			t.Errorf("%v, not %s", err, want)
		}
	}
}

// The values of a large input take little more room than they have when they are sent.
func TestRoomOfRandomValues(t *testing.T) {
	s := conversion.Source{Config: &modelconfig.ModelConfig{Input: []*modelconfig.ModelInput{
		{Name: "X", DataType: modelconfig.DataType_TYPE_FP32, Dims: []int64{4 << 20}},
	}}}
	const bytes = 16 << 20
	debug.FreeOSMemory()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	list, err := s.Random(1)
	runtime.ReadMemStats(&after)
	if err != nil || len(list[0].Inputs[0].GetRaw()) != bytes {
		t.Fatalf("%v, %v", len(list), err)
	}
	if grown := after.HeapSys - before.HeapSys; grown > 6*bytes {
		t.Errorf("the heap has grown by %d bytes for %d", grown, bytes)
	}
}
