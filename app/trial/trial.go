package trial

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"

	"conch/app/enginehost"
	"conch/app/userfile"
	"conch/configedit/modelconfig"
	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/kservepb"
)

// ErrFailed means that a model cannot be run by a provider; the text says why.
var ErrFailed = errors.New("the model was not loaded for the comparison")

// Engines start the engines of trials. They may be started from any goroutine.
type Engines struct {
	Command []string // as in enginehost.Options
	Log     *slog.Logger
}

// scratch begins the names of the folders of trials, in the temporary folder.
const scratch = "conch-trial"

// Sweep removes what trials of killed processes left.
func (e *Engines) Sweep() { userfile.Sweep(os.TempDir(), scratch) }

// Order is what is tried.
type Order struct {
	Provider Provider
	Config   *modelconfig.ModelConfig // as it serves
	Dir      string                   // the model's folder
	Version  int64
	Trusted  bool    // the model may run code of the repository
	GPUs     []int32 // of the machine
}

// Trial is a model that is loaded, in an engine of its own.
type Trial struct {
	host *enginehost.Host
	dir  *userfile.Scratch
}

// Start loads a model. An error wraps ErrFailed where the provider does not run the model. When ctx ends, nothing is left.
func (e *Engines) Start(ctx context.Context, o Order) (_ *Trial, err error) {
	t := &Trial{}
	if t.dir, err = userfile.MakeScratch("", scratch); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.Close())
		}
	}()
	if err := writeRepository(t.dir.Path(), o); err != nil {
		return nil, err
	}
	ended := make(chan string, 1) // why it ended
	loaded := make(chan struct{}, 1)
	t.host, err = enginehost.Start(enginehost.Options{
		Command: e.Command, Log: e.Log, Repositories: []string{t.dir.Path()}, Ports: enginehost.Ports{None: true},
		Access: func() enginehost.Access { return enginehost.Access{Trusted: o.Trusted, StrictGPU: true} },
	}, func(u enginehost.Update) {
		switch {
		case u.Restored:
			trySend(loaded, struct{}{})
		case u.Status != nil && (u.Status.State == enginehost.Restarting || u.Status.State == enginehost.Stopped):
			trySend(ended, u.Status.Reason)
		}
	})
	if err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case why := <-ended:
		return nil, fmt.Errorf("%w with %s: its engine ended. %s", ErrFailed, o.Provider.Label, why)
	case <-loaded:
		return t, t.check(ctx, o)
	}
}

// trySend sends a value unless one waits already.
func trySend[T any](to chan<- T, value T) {
	select {
	case to <- value:
	default:
	}
}

// check says why the model is not loaded.
func (t *Trial) check(ctx context.Context, o Order) error {
	client, err := t.Client()
	if err != nil {
		return err
	}
	index, err := client.RepositoryIndex(ctx, &kservepb.RepositoryIndexRequest{})
	if err != nil {
		return err
	}
	i := slices.IndexFunc(index.Models, func(m *kservepb.RepositoryIndexResponse_ModelIndex) bool {
		return m.Name == o.Config.Name && m.State == "READY"
	})
	if i >= 0 {
		return t.checkDevice(ctx, o)
	}
	why := "its engine does not say why"
	for _, m := range index.Models {
		if m.Reason != "" {
			why = m.Reason
		}
	}
	return o.refused(why)
}

// checkDevice refuses a model that is to run on a GPU and is on the processor, because ONNX Runtime cannot use the GPUs that are here.
func (t *Trial) checkDevice(ctx context.Context, o Order) error {
	if !o.Provider.OnGPU() {
		return nil
	}
	client, err := t.host.Private()
	if err != nil {
		return err
	}
	found, err := client.FindGPUs(ctx, &enginepb.FindGPUsRequest{Config: o.Config, Asked: true})
	if err != nil {
		return err
	}
	if len(found.Gpus) == 0 {
		return o.refused(found.Why)
	}
	return nil
}

// Client calls the engine of the trial.
func (t *Trial) Client() (kservepb.GRPCInferenceServiceClient, error) { return t.host.Client() }

// Close ends the engine and removes all that belongs to the trial.
func (t *Trial) Close() (err error) {
	if t.host != nil {
		err = t.host.Close()
	}
	return errors.Join(err, t.dir.Remove())
}
