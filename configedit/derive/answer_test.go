package derive_test

import (
	"fmt"
	"testing"

	"conch/configedit/derive"
	"conch/configedit/modelconfig"
)

// TestAnswer: the answer of a Python program completes the config that it was asked about, with the reason at each value.
func TestAnswer(t *testing.T) {
	tensor := func(name string, typ modelconfig.DataType, dims ...int64) *modelconfig.ModelInput {
		return &modelconfig.ModelInput{Name: name, DataType: typ, Dims: dims}
	}
	cfg := &modelconfig.ModelConfig{Backend: "python", Input: []*modelconfig.ModelInput{tensor("A", 0)}, Parameters: map[string]*modelconfig.ModelParameter{"k": {}}}
	answer := &derive.Answer{Reason: "asked", Config: &modelconfig.ModelConfig{
		MaxBatchSize: 8, Input: []*modelconfig.ModelInput{tensor("A", modelconfig.DataType_TYPE_FP32, 3), tensor("B", modelconfig.DataType_TYPE_FP32, 1)},
		Output:                 []*modelconfig.ModelOutput{{Name: "C", DataType: modelconfig.DataType_TYPE_FP32, Dims: []int64{1}}},
		SchedulingChoice:       &modelconfig.ModelConfig_DynamicBatching{DynamicBatching: &modelconfig.ModelDynamicBatching{}},
		ModelTransactionPolicy: &modelconfig.ModelTransactionPolicy{Decoupled: true},
	}}
	facts := derive.Facts{ModelName: "m", AutoComplete: true, Answer: answer}
	got, filled, err := derive.Effective(cfg, facts)
	if err != nil {
		t.Fatal(err)
	}
	var asked []any
	for _, f := range filled {
		if f.Reason == "asked" {
			asked = append(asked, f.Path)
		}
	}
	const want = "[[max_batch_size] [input 0 data_type] [input 0 dims] [input 1] [output 0] [dynamic_batching] [model_transaction_policy]]"
	if fmt.Sprint(asked) != want {
		t.Errorf("filled in: %v, want %s", asked, want)
	}
	if len(got.Input) != 2 || got.GetDynamicBatching().PreferredBatchSize[0] != 8 || !got.ModelTransactionPolicy.Decoupled || got.Parameters["k"] == nil {
		t.Errorf("effective: %v", got)
	}
	if answer.Config.GetDynamicBatching().PreferredBatchSize != nil || cfg.MaxBatchSize != 0 {
		t.Error("the answer or the config was changed")
	}
	facts.AutoComplete = false
	if got, _, _ := derive.Effective(cfg, facts); got.MaxBatchSize != 0 {
		t.Errorf("a server that completes nothing: %v", got)
	}
}

// TestTakeOver: only what a backend may complete is taken over, and nothing where the scheduler is replaced.
func TestTakeOver(t *testing.T) {
	dynamic := func(delay uint64) *modelconfig.ModelConfig_DynamicBatching {
		return &modelconfig.ModelConfig_DynamicBatching{DynamicBatching: &modelconfig.ModelDynamicBatching{MaxQueueDelayMicroseconds: delay}}
	}
	sequence := &modelconfig.ModelConfig_SequenceBatching{SequenceBatching: &modelconfig.ModelSequenceBatching{}}
	for name, c := range map[string]struct {
		cfg, completed *modelconfig.ModelConfig
		ok             bool
		batch          int32
		delay          uint64
	}{
		"nothing chosen":     {&modelconfig.ModelConfig{}, &modelconfig.ModelConfig{MaxBatchSize: 4, SchedulingChoice: dynamic(7)}, true, 4, 7},
		"the same choice":    {&modelconfig.ModelConfig{SchedulingChoice: dynamic(5)}, &modelconfig.ModelConfig{MaxBatchSize: 4, SchedulingChoice: dynamic(7)}, true, 4, 5},
		"another choice":     {&modelconfig.ModelConfig{SchedulingChoice: dynamic(5)}, &modelconfig.ModelConfig{MaxBatchSize: 4, SchedulingChoice: sequence}, false, 0, 5},
		"the choice removed": {&modelconfig.ModelConfig{SchedulingChoice: dynamic(5)}, &modelconfig.ModelConfig{MaxBatchSize: 4}, false, 0, 5},
	} {
		c.completed.Name, c.completed.Parameters = "other", map[string]*modelconfig.ModelParameter{"k": {}}
		got, ok := derive.TakeOver(c.cfg, c.completed)
		if ok != c.ok || got.MaxBatchSize != c.batch || got.GetDynamicBatching().MaxQueueDelayMicroseconds != c.delay || got.Name != "" || got.Parameters != nil {
			t.Errorf("%s: %v, %v", name, got, ok)
		}
	}
}
