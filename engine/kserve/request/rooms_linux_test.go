package request_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/budget"
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/kserve/kservetest"
	"conch/engine/kserve/request"
	"conch/engine/tensor"
)

// inRoom is a model that makes its output in the memory of its request where it may.
type inRoom struct {
	room      []byte
	meanwhile func()
}

func (*inRoom) Leave() {}

func (m *inRoom) Infer(_ context.Context, r *infer.Request, sink infer.Sink) error {
	m.room = r.Rooms["OUT"]
	data := m.room
	if data == nil {
		data = make([]byte, large)
	}
	copy(data, bytes.Repeat([]byte{7}, large))
	if m.meanwhile != nil {
		m.meanwhile()
	}
	return sink(&infer.Response{Outputs: []tensor.Tensor{{Name: "OUT", Type: tensor.FP32, Shape: tensor.Shape{large / 4}, Data: data[:large]}}, Final: true})
}

// A model makes an output in the memory of a client where that harms nobody. Wherever it is made, the client finds it there.
func TestWhereOutputsAreMade(t *testing.T) {
	plain := func(kind modelconfig.DataType) *modelconfig.ModelConfig {
		return &modelconfig.ModelConfig{Output: []*modelconfig.ModelOutput{{Name: "OUT", DataType: kind}}}
	}
	cached, ensemble := plain(modelconfig.DataType_TYPE_FP32), plain(modelconfig.DataType_TYPE_FP32)
	cached.ResponseCache = &modelconfig.ModelResponseCache{Enable: true}
	ensemble.SchedulingChoice = &modelconfig.ModelConfig_EnsembleScheduling{EnsembleScheduling: &modelconfig.ModelEnsembling{}}
	numbers := plain(modelconfig.DataType_TYPE_FP32)
	at := func(name string, offset, size uint64) *request.Place {
		return &request.Place{Region: name, Offset: offset, Size: size}
	}
	for name, c := range map[string]struct {
		config    *modelconfig.ModelConfig
		in, other *request.Place // an input, and another output
		traced    *infer.Trace
		there     bool
	}{
		"numbers":                       {numbers, nil, nil, nil, true},
		"places":                        {plain(modelconfig.DataType_TYPE_INT64), nil, nil, nil, false},
		"a mask":                        {plain(modelconfig.DataType_TYPE_BOOL), nil, nil, nil, false},
		"an output that is in no list":  {&modelconfig.ModelConfig{}, nil, nil, nil, false},
		"answers are kept":              {cached, nil, nil, nil, false},
		"an ensemble":                   {ensemble, nil, nil, nil, false},
		"traced":                        {numbers, nil, nil, &infer.Trace{}, false},
		"beside its input":              {numbers, at("a", large, large), nil, nil, true},
		"over its input":                {numbers, at("a", 0, large), nil, nil, false},
		"over its input by its end":     {numbers, at("b", large-4, large), nil, nil, false},
		"over an input that was copied": {numbers, at("a", 0, 1024), nil, nil, true},
		"beside another output":         {numbers, nil, at("b", large, large), nil, true},
		"over another output":           {numbers, nil, at("b", 1024, 64), nil, false},
	} {
		regions, path := objectOf(t, 2*large, "a", "b")
		a := request.New(request.GRPC, "m", infer.Latest, &kserve.Options{Regions: regions}, new(budget.Account))
		a.Trace = c.traced
		model := &inRoom{}
		enter(t, &a, c.config, model)
		if c.in != nil {
			if _, err := a.ReadRegion("IN", tensor.FP32, *c.in); err != nil {
				t.Fatal(err)
			}
		}
		addOutputs(t, &a, map[string]*request.Place{"OUT": at("a", 0, large), "OTHER": c.other})
		var answers encoder
		if err := a.Once(t.Context(), &answers); err != nil || answers != 1 {
			t.Errorf("%s: %d answers, %v", name, answers, err)
		}
		if there := model.room != nil; there != c.there || there && len(model.room) != large {
			t.Errorf("%s: %d bytes of the client's memory", name, len(model.room))
		}
		a.Leave()
		if got, err := os.ReadFile(path); err != nil || got[0] != 7 || got[large-1] != 7 || got[large] != 1 {
			t.Errorf("%s: the client finds %d … %d, %d, %v", name, got[0], got[large-1], got[large], err)
		}
	}
}

// Many outputs in shared memory take time in proportion to their number, also when half of them have one name. 40,000 took 8 s when
// each was compared with all others.
func TestManyPlacesTakeTheirNumber(t *testing.T) {
	regions, _ := objectOf(t, 2*large, "a")
	config := &modelconfig.ModelConfig{Output: []*modelconfig.ModelOutput{{Name: "OUT", DataType: modelconfig.DataType_TYPE_FP32}}}
	kservetest.Linear(t, "places of outputs", 2000, func(count int) func() {
		a := request.New(request.GRPC, "m", infer.Latest, &kserve.Options{Regions: regions}, new(budget.Account))
		enter(t, &a, config, &inRoom{})
		for i := range count / 2 {
			addOutputs(t, &a, map[string]*request.Place{"OUT": {Region: "a", Size: large}})
			addOutputs(t, &a, map[string]*request.Place{fmt.Sprint("X", i): {Region: "a", Offset: large, Size: large}})
		}
		return func() {
			defer a.Leave()
			var answers encoder
			if err := a.Once(t.Context(), &answers); err != nil || answers != 1 {
				t.Errorf("%d answers, %v", answers, err)
			}
		}
	})
}

// A client that shortens its memory while a model writes there gets an error.
func TestOutputInShortenedMemory(t *testing.T) {
	regions, path := objectOf(t, 2*large, "a", "b")
	a := request.New(request.GRPC, "m", infer.Latest, &kserve.Options{Regions: regions}, new(budget.Account))
	defer a.Leave()
	config := &modelconfig.ModelConfig{Output: []*modelconfig.ModelOutput{{Name: "OUT", DataType: modelconfig.DataType_TYPE_FP32}}}
	enter(t, &a, config, &inRoom{meanwhile: func() {
		if err := os.Truncate(path, 4096); err != nil {
			t.Error(err)
		}
	}})
	addOutputs(t, &a, map[string]*request.Place{"OUT": {Region: "a", Size: large}})
	var answers encoder
	if err := a.Once(t.Context(), &answers); err == nil || answers != 0 || !strings.Contains(err.Error(), "is shorter than when it was registered") {
		t.Errorf("%d answers, %v", answers, err)
	}
}

// answersOf is a decoupled model that sends these answers, as long as they are taken.
type answersOf []infer.Response

func (m answersOf) Infer(_ context.Context, _ *infer.Request, sink infer.Sink) error {
	for i := range m {
		if err := sink(&m[i]); err != nil {
			return err
		}
	}
	return nil
}

func (answersOf) Leave() {}

// An answer that does not fit into its region is an error between the other answers, where the client takes some. Else, and as the last
// answer, it ends the request.
func TestAnswerThatDoesNotFitAmongOthers(t *testing.T) {
	const small, none = "shared memory size specified with the request for output 'OUT' (8 bytes) should be at least 64 bytes to hold the results", ""
	out := func(size int, final bool) infer.Response {
		return infer.Response{Final: final, Outputs: []tensor.Tensor{{Name: "OUT", Type: tensor.Uint8, Shape: tensor.Shape{int64(size)}, Data: make([]byte, size)}}}
	}
	model, ensemble := &modelconfig.ModelConfig{}, &modelconfig.ModelConfig{
		SchedulingChoice: &modelconfig.ModelConfig_EnsembleScheduling{EnsembleScheduling: &modelconfig.ModelEnsembling{}},
	}
	for name, c := range map[string]struct {
		answers answersOf
		keepsOn bool
		config  *modelconfig.ModelConfig
		want    []string
		err     string
	}{
		"goes on":        {answersOf{out(8, false), out(64, false), out(8, false), {Final: true}}, true, model, []string{none, small, none, none}, none},
		"ends":           {answersOf{out(8, false), out(64, false), out(8, true)}, false, model, []string{none}, small},
		"in an ensemble": {answersOf{out(64, false)}, false, ensemble, nil, "in ensemble 'm', " + small},
		"at last":        {answersOf{out(8, false), out(64, true)}, true, model, []string{none}, small},
	} {
		t.Run(name, func(t *testing.T) {
			regions, _ := objectOf(t, large, "a")
			a := request.New(request.GRPC, "m", infer.Latest, &kserve.Options{Regions: regions}, new(budget.Account))
			defer a.Leave()
			enter(t, &a, c.config, c.answers)
			addOutputs(t, &a, map[string]*request.Place{"OUT": {Region: "a", Size: 8}})
			a.KeepsOn = c.keepsOn
			var got []string
			err := a.Often(t.Context(), func(r *infer.Response) error {
				got = append(got, textOf(r.Err))
				return nil
			})
			if !slices.Equal(got, c.want) || textOf(err) != c.err {
				t.Errorf("answers %q, then %q", got, textOf(err))
			}
			if err != nil && infer.FateOf(err) != infer.Undelivered {
				t.Errorf("the model has answered, and the fate is %v", infer.FateOf(err))
			}
		})
	}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func enter(t *testing.T, a *request.Assembler, config *modelconfig.ModelConfig, model infer.Entered) {
	t.Helper()
	if err := a.Enter(&kservetest.Service{EnterFunc: func(string, int64) (infer.Target, error) {
		return infer.Target{Config: config, Version: model}, nil
	}}); err != nil {
		t.Fatal(err)
	}
}

// addOutputs adds the outputs that have a place.
func addOutputs(t *testing.T, a *request.Assembler, places map[string]*request.Place) {
	t.Helper()
	for name, place := range places {
		if place == nil {
			continue
		}
		if err := a.AddRegionOutput(name, *place); err != nil {
			t.Fatal(err)
		}
	}
}
