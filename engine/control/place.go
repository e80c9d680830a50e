package control

import (
	"conch/configedit/modelconfig"
	"conch/engine/infer"
	"conch/engine/model"
)

// Place returns on what a model would run if it were loaded now from its files, such as "CPU" or "GPU 0"; nothing for an ensemble. It decides as a load does.
func (o *Overview) Place(key string) ([]string, error) {
	s := o.state.Lock()
	found, id := s.names.find(s.listing, key), s.names.identity(key)
	o.state.Unlock()
	switch {
	case len(found) != 1:
		return nil, infer.Errorf(infer.NotFound, "the repository has %d models with the name '%s'", len(found), key)
	case found[0].Trouble != nil:
		return nil, infer.Errorf(infer.Internal, "%v", found[0].Trouble)
	}
	f := &found[0]
	made, err := o.o.Loader.Define(model.Source{
		Name: id.name, Namespace: id.namespace, Dir: f.Dir, Root: f.Root, ConfigPath: f.ConfigPath, ConfigText: f.ConfigText,
	})
	if err != nil {
		return nil, err
	}
	return o.o.Loader.Place(made)
}

// FindGPUs returns the GPUs with which a load settles a config, and whether models whose GPUs are missing are refused. asked reports that what was
// written has a group of KIND_GPU.
func (o *Overview) FindGPUs(cfg *modelconfig.ModelConfig, asked bool) (gpus model.GPUs, strict bool) {
	return o.o.Loader.FindGPUs(cfg, asked), o.o.Loader.StrictGPU.Load()
}
