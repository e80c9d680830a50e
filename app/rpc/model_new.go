package rpc

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/language"
	"conch/app/upload"
	"conch/app/workspace"
	"conch/configedit/backends"
	"conch/configedit/folder"
	"conch/engine/kserve/enginepb"
	"conch/engine/pip"
	"conch/repo/write"
)

// maxConfig limits the config of a new model.
const maxConfig = 4 << 20

// firstRoot returns the folder of the repository in which new models are made, where it can be reached.
func firstRoot(stay *workspace.Stay) (string, error) {
	root := stay.Disk().Index.Roots[0].Path
	return root, stay.ReachRoot(root, workspace.ThenRetry)
}

// CreateModel makes a folder with a config and a version 1, which holds the files of the upload.
func (s *modelService) CreateModel(_ context.Context, r *connect.Request[api.CreateModelRequest]) (*connect.Response[api.CreateModelResponse], error) {
	stay, err := s.Workspace.Stay(r.Msg.Repository)
	if err != nil {
		return nil, err
	}
	defer stay.End()
	root, err := firstRoot(stay)
	if err != nil {
		return nil, err
	}
	if len(r.Msg.GetConfig()) > maxConfig {
		return nil, invalid(fmt.Errorf("the config of %.40q is longer than %d bytes", r.Msg.Name, maxConfig))
	}
	forget := stay.Expect(r.Msg.Name, workspace.Created)
	dir, program, err := s.create(root, r.Msg)
	if err != nil {
		forget()
		return nil, err
	}
	stay.Touch(dir)
	return connect.NewResponse(&api.CreateModelResponse{Open: program}), nil
}

// create makes the model's folder. program is the file that was written for people to go on with; "" for none.
func (s *modelService) create(root string, r *api.CreateModelRequest) (dir, program string, err error) {
	config := language.Begin(r.Name, r.Backend)
	if r.Config != nil {
		config = *r.Config
	}
	if r.Upload == "" {
		program, text := language.BeginProgram([]byte(config))
		files := map[string][]byte{}
		if program != "" {
			files[program] = text
		}
		dir, err = upload.Waiting(s.Data, root).NewModel(root, r.Name, []byte(config), files)
		return dir, program, err
	}
	files, err := s.uploads.Find(r.Upload)
	if err != nil {
		return "", "", err
	}
	dir, err = files.Become(r.Name, []byte(config))
	if err == nil {
		s.uploads.Forget(r.Upload)
	}
	return dir, "", err
}

// AddFiles puts the files of an upload into a folder of a model.
func (s *modelService) AddFiles(ctx context.Context, r *connect.Request[api.AddFilesRequest]) (*connect.Response[api.AddFilesResponse], error) {
	stay, err := s.Workspace.Stay(r.Msg.Repository)
	if err != nil {
		return nil, err
	}
	defer stay.End()
	files, err := s.uploads.Find(r.Msg.Upload)
	if err != nil {
		return nil, err
	}
	model, err := folderOf(stay, r.Msg.Model, workspace.ThenRetry)
	if err != nil {
		return nil, err
	}
	dir := model
	if r.Msg.Folder != "" {
		if dir, err = newPlace(stay, r.Msg.Model, r.Msg.Folder, true); err != nil {
			return nil, err
		}
	}
	names, err := files.AddTo(ctx, model, dir)
	if err != nil {
		return nil, err
	}
	s.uploads.Forget(r.Msg.Upload)
	out := &api.AddFilesResponse{}
	for _, name := range names {
		out.Paths = append(out.Paths, path.Join(r.Msg.Folder, name))
	}
	stay.Touch(path.Join(model, folder.Raw(r.Msg.Folder)))
	return connect.NewResponse(out), nil
}

// BeginUpload begins to take the files of a new model.
func (s *modelService) BeginUpload(_ context.Context, r *connect.Request[api.BeginUploadRequest]) (*connect.Response[api.BeginUploadResponse], error) {
	stay, err := s.Workspace.Stay(r.Msg.Repository)
	if err != nil {
		return nil, err
	}
	defer stay.End()
	root, err := firstRoot(stay)
	if err != nil {
		return nil, err
	}
	id, err := s.uploads.Begin(root, r.Msg.Folder)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&api.BeginUploadResponse{Upload: id, PieceBytes: upload.MaxPiece, MaxBytes: upload.MaxBytes}), nil
}

// WriteUpload takes the next piece of a file.
func (s *modelService) WriteUpload(_ context.Context, r *connect.Request[api.WriteUploadRequest]) (*connect.Response[api.WriteUploadResponse], error) {
	files, err := s.uploads.Find(r.Msg.Upload)
	if err == nil {
		err = files.Write(r.Msg.File, int64(r.Msg.Offset), r.Msg.Data)
	}
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&api.WriteUploadResponse{}), nil
}

// DiscardUpload removes the files of an upload. One that is gone is no error.
func (s *modelService) DiscardUpload(_ context.Context, r *connect.Request[api.DiscardUploadRequest]) (*connect.Response[api.DiscardUploadResponse], error) {
	if files, err := s.uploads.Find(r.Msg.Upload); err == nil {
		s.uploads.Forget(r.Msg.Upload)
		if err := files.Discard(); err != nil {
			return nil, err
		}
	}
	return connect.NewResponse(&api.DiscardUploadResponse{}), nil
}

// DraftModel says what an upload would become.
func (s *modelService) DraftModel(ctx context.Context, r *connect.Request[api.DraftModelRequest]) (*connect.Response[api.DraftModelResponse], error) {
	files, err := s.uploads.Find(r.Msg.Upload)
	if err != nil {
		return nil, err
	}
	begin, main, err := files.Draft()
	if err != nil {
		return nil, err
	}
	analysis, err := s.Workspace.OnDisk()
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&api.DraftModelResponse{
		Name: freeName(analysis, files.Name(main)), Backend: begin.Backend.Name, Label: cmp.Or(begin.Backend.Kind, begin.Backend.Name),
		Config: string(begin.Config), Files: files.Places(main, begin), Note: begin.Note, Lacks: s.lacks(begin.Backend.Name),
		Needs: s.needs(ctx)[begin.Backend.Name],
	}), nil
}

// freeName returns a name after a file or folder that no model has.
func freeName(analysis *language.Analysis, stem string) string {
	name := strings.Trim(strings.Join(strings.FieldsFunc(stem, func(r rune) bool { return r == ' ' || r == '\t' }), "_"), ".")
	name = cmp.Or(name, "model")
	for i, free := 2, name; ; i++ {
		if _, taken := analysis.Model(free); !taken {
			return free
		}
		free = fmt.Sprintf("%s_%d", name, i)
	}
}

// lacks says why models of a backend cannot run here; "" when they can.
func (s *modelService) lacks(backend string) string {
	if backend == backends.TensorRT && s.Workspace.LacksGPU() {
		return language.NeedsGPU(backend)
	}
	if backend != "" && backend != backends.Ensemble && s.Workspace.LacksBackend(backend) {
		return language.CannotRun(backend)
	}
	return ""
}

// ListKinds lists the kinds of model that a new one can be.
func (s *modelService) ListKinds(ctx context.Context, _ *connect.Request[api.ListKindsRequest]) (*connect.Response[api.ListKindsResponse], error) {
	return connect.NewResponse(&api.ListKindsResponse{Kinds: kinds(s.lacks, s.needs(ctx)), Closed: s.closed()}), nil
}

// closed says why no model can be made in the open repository; "" where one can, or none is open.
func (s *modelService) closed() string {
	stay, err := s.Workspace.Stay("")
	if err != nil {
		return ""
	}
	defer stay.End()
	if len(stay.Disk().Index.Roots) == 0 {
		return ""
	}
	root, err := firstRoot(stay)
	if err == nil {
		err = write.Closed(root)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// needs says, by backend, which packages a load would miss, and how they are installed. It is empty where the engine does not tell.
func (s *modelService) needs(ctx context.Context) map[string]string {
	texts := map[string]string{}
	client, err := s.Workspace.Private("missing packages")
	if err != nil {
		return texts
	}
	list, err := client.ListMissing(ctx, &enginepb.ListMissingRequest{})
	if err != nil {
		return texts
	}
	for _, m := range list.Missing {
		packages := strings.Join(m.Packages, " ")
		texts[m.Backend] = fmt.Sprintf("%s is not installed: %s lacks it. Create the model, and press Install on its page, which installs %s for Conch alone; "+
			"or install it yourself: %s", strings.Join(m.Modules, " and "), m.Python, packages, pip.Line(m.Python, m.Packages))
	}
	return texts
}

// kinds lists the kinds of model that people make: first those that run here, and of these ONNX, then those whose packages are
// missing, which needs tells by backend. lacks says why a kind does not run here at all.
func kinds(lacks func(backend string) string, needs map[string]string) []*api.ModelKind {
	var run, later, others []*api.ModelKind
	for _, b := range backends.All() {
		if len(b.Formats) == 0 {
			continue
		}
		kind := &api.ModelKind{Backend: b.Name, Label: b.Kind, Note: "runs " + language.BeginFormat(b).File, Lacks: lacks(b.Name), Needs: needs[b.Name]}
		kind.Writes, _ = language.BeginProgram([]byte(language.Begin("", b.Name)))
		switch {
		case kind.Lacks != "":
			others = append(others, kind)
		case kind.Needs != "":
			later = append(later, kind)
		case b.Name == backends.ONNXRuntime:
			run = slices.Insert(run, 0, kind)
		default:
			run = append(run, kind)
		}
	}
	run = append(run, &api.ModelKind{Backend: backends.Ensemble, Label: "Ensemble", Note: "joins other models"})
	return slices.Concat(run, later, others)
}
