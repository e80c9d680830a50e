package rpc

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/apimessage"
	"conch/app/language"
	"conch/app/snippet"
	"conch/app/workspace"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/engine/kserve/kservepb"
	"conch/repo/layout"
	"conch/repo/scan"
)

// GetModel describes a model as the engine has loaded it, or else as its files declare it.
func (s *modelService) GetModel(ctx context.Context, r *connect.Request[api.GetModelRequest]) (*connect.Response[api.GetModelResponse], error) {
	_, m, err := s.model(r.Msg.Name)
	if err != nil {
		return nil, err
	}
	summary, ok := s.Workspace.Model(r.Msg.Name)
	if !ok {
		return nil, workspace.ErrNoModel
	}
	cfg, fromEngine := s.config(ctx, m)
	named := language.FileNameOf(m.Effective())
	out := &api.GetModelResponse{
		Summary:          summary,
		MaxBatchSize:     cfg.GetMaxBatchSize(),
		Inputs:           apimessage.Tensors(language.Inputs(cfg)),
		Outputs:          s.outputs(m, cfg),
		FromEngine:       fromEngine,
		Backend:          cfg.GetBackend(),
		Platform:         cfg.GetPlatform(),
		Files:            files(m.Scan),
		Decoupled:        cfg.GetModelTransactionPolicy().GetDecoupled(),
		DynamicBatching:  cfg.GetDynamicBatching() != nil,
		SequenceBatching: cfg.GetSequenceBatching() != nil,
		NeedsSequence:    modelconfig.NeedsSequence(cfg),
		TextSequence:     modelconfig.TakesTextIDs(cfg),
		SequenceIdleUs:   cfg.GetSequenceBatching().GetMaxSequenceIdleMicroseconds(),
		NoCurl:           snippet.NoCurl(r.Msg.Name, decoupled(cfg)),
		ModelFile:        folder.Name(named.File),
		ModelEndings:     named.Endings,
		WeightsFile:      folder.Name(named.Weights),
		MostPictureBytes: maxPictures,
	}
	return connect.NewResponse(out), nil
}

// config returns the loaded config while the model serves, otherwise the effective one.
func (s *Server) config(ctx context.Context, m *language.Model) (_ *modelconfig.ModelConfig, fromEngine bool) {
	summary, _ := s.Workspace.Model(m.Scan.Name)
	switch summary.GetState() {
	case api.ModelState_MODEL_STATE_READY, api.ModelState_MODEL_STATE_OLDER_SERVES:
	default:
		return m.Effective(), false
	}
	client, err := s.Workspace.Client()
	if err != nil {
		return m.Effective(), false
	}
	answer, err := client.ModelConfig(ctx, &kservepb.ModelConfigRequest{Name: m.Scan.Name})
	if err != nil || answer.Config == nil {
		return m.Effective(), false
	}
	return answer.Config, true
}

func (s *Server) outputs(m *language.Model, cfg *modelconfig.ModelConfig) []*api.TensorSpec {
	list := language.Outputs(cfg)
	out := apimessage.Tensors(list)
	for i, t := range list {
		out[i].Labels = m.Labels(t.Labels)
	}
	return out
}

// files lists the model's folder: the config first, then versions, then the rest.
func files(m *scan.Model) []*api.ModelFile {
	var out []*api.ModelFile
	links := linked{dir: m.Dir, leaves: map[string]bool{}}
	add := func(prefix string, f scan.File) {
		path := folder.Name(prefix + f.Path)
		file := &api.ModelFile{Path: path, Size: uint64(max(f.Size, 0)), Modified: f.ModTime.UnixMilli(), Text: workspace.IsTextName(path), Note: fileNote(f)}
		links.mark(file, prefix+f.Path, f.Link)
		out = append(out, file)
	}
	if m.ConfigPath != "" {
		f := scan.File{Path: filepath.Base(m.ConfigPath), Size: int64(len(m.ConfigText))}
		if info, err := os.Stat(m.ConfigPath); err == nil {
			f.Size, f.ModTime = info.Size(), info.ModTime()
		}
		add("", f)
	}
	for _, v := range m.Versions {
		if len(v.Files) == 0 {
			out = append(out, &api.ModelFile{Path: folder.Name(filepath.Base(v.Dir)) + "/", Note: "no files yet"})
		}
		for _, f := range v.Files {
			add(filepath.Base(v.Dir)+"/", f)
		}
	}
	for _, f := range m.Other {
		add("", f)
	}
	for _, v := range m.Variants {
		add(folder.Variants+"/", scan.File{Path: filepath.Base(v.Path), Size: int64(len(v.Text))})
	}
	out = append(out, brokenLinks(m)...)
	return append(out, emptyFolders(m, out)...)
}

// emptyFolders lists the folders of a model, beside its versions, of which no file is listed, so that they can be seen and deleted.
func emptyFolders(m *scan.Model, listed []*api.ModelFile) (list []*api.ModelFile) {
	for _, name := range m.Subdirs {
		shown := folder.Name(name) + "/"
		info, err := os.Lstat(filepath.Join(m.Dir, name))
		if layout.NoiseDir(name) || err != nil || !info.IsDir() || slices.Contains(m.Unlisted, name) || unread(m, name) ||
			slices.ContainsFunc(listed, func(f *api.ModelFile) bool { return strings.HasPrefix(f.Path, shown) }) {
			continue
		}
		list = append(list, &api.ModelFile{Path: shown, Note: "no files"})
	}
	return list
}

// unread reports whether something in a folder of a model could not be looked at.
func unread(m *scan.Model, name string) bool {
	dir := filepath.Join(m.Dir, name)
	return slices.ContainsFunc(m.Problems, func(p scan.Problem) bool {
		return p.Path == dir || strings.HasPrefix(p.Path, dir+string(filepath.Separator))
	})
}

func fileNote(f scan.File) string {
	if f.Size == 0 {
		return "empty"
	}
	if f.Size > math.MaxInt32 && strings.HasSuffix(f.Path, ".onnx") {
		return "over 2 GiB: its weights must be in files beside it"
	}
	return ""
}
