package language

import (
	"cmp"
	"path"
	"slices"

	"conch/configedit/backends"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/text"
)

// BeginWith returns what a model begins with that comes with a config of its own.
func BeginWith(config []byte) Beginning {
	decoded, _ := modelconfig.Parse(folder.ConfigName, config)
	cfg := decoded.Config
	if backends.IsEnsemble(cfg) {
		return Beginning{Backend: backends.Backend{Name: backends.Ensemble, Kind: Kind(cfg)}, Config: config}
	}
	name := backendOf(cfg)
	backend := backends.Named(name)
	backend.Name = cmp.Or(backend.Name, name)
	return Beginning{Backend: backend, Config: config}
}

// With is the beginning with a config that was given beside the model file.
func (b Beginning) With(config []byte) Beginning {
	given := BeginWith(config)
	if given.Backend.Name != "" {
		b.Backend = given.Backend
	}
	decoded, _ := modelconfig.Parse(folder.ConfigName, config)
	if file := decoded.Config.GetDefaultModelFilename(); file != "" && path.Base(file) == file {
		b.File = file
	}
	b.Config, b.Note = config, ""
	return b
}

// Named returns a config whose name is that of the folder: Triton takes no other.
func Named(config []byte, name string) []byte {
	decoded, _ := modelconfig.Parse(folder.ConfigName, config)
	if !decoded.Has("name") || decoded.Config.GetName() == name {
		return config
	}
	span := decoded.Span("name")
	return slices.Concat(config[:span.Start], []byte(text.Quote(name)), config[span.End:])
}
