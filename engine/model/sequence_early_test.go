package model_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/model"
	"conch/engine/sched"
)

// beside are the models of an ensemble: a version, and "broken", which fails after a second.
type beside struct {
	version *model.Version
	config  *modelconfig.ModelConfig
}

func (b beside) Config(string, int64) (*modelconfig.ModelConfig, error) { return b.config, nil }

func (b beside) Enter(name string, _ int64) (infer.Target, error) {
	target := infer.Target{Config: b.config, Version: b.version}
	if name == "broken" {
		target.Version = broken{}
	} else {
		b.version.Enter()
	}
	return target, nil
}

type broken struct{}

func (broken) Leave() {}

func (broken) Infer(context.Context, *infer.Request, infer.Sink) error {
	time.Sleep(time.Second) // under a fake clock
	return infer.Errorf(infer.Unavailable, "it is broken")
}

// An ensemble whose step has failed is answered while a step beside it runs that has taken its inputs, unless that one may run again: a
// later run reads the client's inputs once more.
func TestIterativeStepBesideOneThatFails(t *testing.T) {
	for config, want := range map[string]time.Duration{"": time.Second, "sequence_batching { iterative_sequence: true }": 4 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			runs := 0
			s := newScript(func(batch *backend.Batch, i int) {
				if runs++; runs == 1 {
					batch.Taken()
				}
				if config != "" && runs == 1 {
					batch.Reschedule(i, nil)
					return
				}
				time.Sleep(4 * time.Second) // under a fake clock; a second run reads its inputs meanwhile
				echo(batch, i)
			})
			v, err := load(s, folder(t, fakeModel+"max_batch_size: 4 instance_group [{ count: 1 kind: KIND_CPU }]\n"+config, nil))
			if err != nil {
				t.Fatal(err)
			}
			step := func(model, out string) *modelconfig.ModelEnsembling_Step {
				return &modelconfig.ModelEnsembling_Step{ModelName: model, InputMap: map[string]string{"IN": "IN"}, OutputMap: map[string]string{"OUT": out}}
			}
			e := sched.NewEnsemble(&modelconfig.ModelConfig{
				Name: "e", MaxBatchSize: 4,
				Input:  []*modelconfig.ModelInput{{Name: "IN", DataType: modelconfig.DataType_TYPE_FP32, Dims: []int64{2}}},
				Output: []*modelconfig.ModelOutput{{Name: "A", Dims: []int64{2}}, {Name: "B", Dims: []int64{2}}},
				SchedulingChoice: &modelconfig.ModelConfig_EnsembleScheduling{EnsembleScheduling: &modelconfig.ModelEnsembling{
					Step: []*modelconfig.ModelEnsembling_Step{step("m", "A"), step("broken", "B")},
				}},
			}, beside{v, v.Config})
			began := time.Now()
			r := item("a")
			r.Batch = 1
			err = e.Infer(t.Context(), r, func(*infer.Response) error { return nil })
			if got := time.Since(began); err == nil || err.Error() != "in ensemble 'e', it is broken" || got != want {
				t.Errorf("%q: %v after %v, want %v", config, err, got, want)
			}
			if err := v.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
