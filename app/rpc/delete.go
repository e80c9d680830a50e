package rpc

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/language"
	"conch/app/upload"
	"conch/app/workspace"
	"conch/configedit/folder"
	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/kservepb"
	"conch/repo/layout"
	"conch/repo/trash"
	"conch/repo/write"
)

// leaving is something that is deleted: a file or a folder of a model, or the model.
type leaving struct {
	model *language.Model
	rel   string // relative to the model's folder; "" for the model
	root  string // the real path of the repository's folder
	path  string
}

// errOtherDrafts means that a person has agreed to lose other unsaved texts.
var errOtherDrafts = errors.New("nothing was deleted: an unsaved text of what would go was typed meanwhile. Look at what goes once more")

// leavingOf finds what a person wants to delete. Links on the way are followed where they stay inside; one that is the last part of
// the path is meant itself.
func leavingOf(stay *workspace.Stay, model, rel string) (leaving, error) {
	dir, err := folderOf(stay, model, workspace.ThenRetry)
	if err != nil {
		return leaving{}, err
	}
	m, _ := stay.Disk().Model(model)
	root, err := layout.Inside(m.Scan.Root, ".")
	if err != nil {
		return leaving{}, err
	}
	out := leaving{model: m, root: root, path: filepath.Join(root, filepath.Base(dir))}
	if rel == "" {
		return out, nil
	}
	local := filepath.Clean(filepath.FromSlash(folder.Raw(rel)))
	if local == "." || !filepath.IsLocal(local) {
		return leaving{}, &layout.OutsideError{Root: dir, Path: rel}
	}
	parent, err := layout.Inside(dir, filepath.ToSlash(filepath.Dir(local)))
	if err != nil {
		return leaving{}, err
	}
	out.rel, out.path = folder.Name(filepath.ToSlash(local)), filepath.Join(parent, filepath.Base(local))
	return out, nil
}

// version is the number of the version that goes; 0 where it is none.
func (l leaving) version() int64 {
	number, err := strconv.ParseInt(l.rel, 10, 64)
	if err != nil || strconv.FormatInt(number, 10) != l.rel {
		return 0
	}
	return number
}

// neededBy says where the config names a file that goes; "" where it does not, or goes itself.
func (l leaving) neededBy() string {
	if l.rel == "" {
		return ""
	}
	for _, out := range l.model.Effective().GetOutput() {
		file := strings.TrimPrefix(path.Clean("/"+out.GetLabelFilename()), "/")
		if file == l.rel || strings.HasPrefix(file, l.rel+"/") {
			return fmt.Sprintf("label_filename of output %q", out.Name)
		}
	}
	return ""
}

// isWhereItWas fails when a link now leads on the way to where something was: it would be put back somewhere else.
func (l leaving) isWhereItWas() error {
	parent := filepath.Dir(l.path)
	if now, err := filepath.EvalSymlinks(parent); err == nil && now != parent {
		return &layout.OutsideError{Root: l.root, Path: parent}
	}
	return nil
}

// serving says what becomes of what the engine serves.
func (s *Server) serving(l leaving) api.PlanDeleteResponse_Serving {
	if s.Workspace.ServedStates() != nil {
		return api.PlanDeleteResponse_SERVING_ELSEWHERE
	}
	summary, _ := s.Workspace.Model(l.model.Scan.Name)
	var loaded []int64
	for _, v := range summary.GetVersions() {
		if v.State == api.ModelState_MODEL_STATE_READY || v.State == api.ModelState_MODEL_STATE_LOADING {
			loaded = append(loaded, v.Number)
		}
	}
	version := l.version()
	switch {
	case len(loaded) == 0:
		return api.PlanDeleteResponse_SERVING_UNSPECIFIED
	case l.rel == "" || version != 0 && len(l.model.Scan.Versions) < 2:
		return api.PlanDeleteResponse_SERVING_UNLOADS
	case slices.Contains(loaded, version):
		return api.PlanDeleteResponse_SERVING_OTHER_VERSIONS
	case version != 0, l.model.Scan.IsNote(l.rel):
		return api.PlanDeleteResponse_SERVING_UNSPECIFIED
	}
	return api.PlanDeleteResponse_SERVING_KEEPS
}

// PlanDelete says what would go. A reason why nothing can go is a part of the answer.
func (s *editorService) PlanDelete(ctx context.Context, r *connect.Request[api.PlanDeleteRequest]) (*connect.Response[api.PlanDeleteResponse], error) {
	stay, err := s.Workspace.Stay(r.Msg.Repository)
	if err != nil {
		return nil, err
	}
	defer stay.End()
	l, err := leavingOf(stay, r.Msg.Model, r.Msg.Path)
	if err != nil {
		return nil, err
	}
	goes, err := write.LookAt(ctx, l.path, upload.Trash(s.Data, l.root))
	var refused *write.Error
	if err != nil && !errors.As(err, &refused) {
		return nil, err
	}
	out := &api.PlanDeleteResponse{
		Place: folder.Name(l.path), Link: folder.Name(goes.Link), Count: uint32(goes.Count), Bytes: uint64(goes.Bytes),
		Trash: folder.Name(goes.To.Dir), Copied: goes.To.Copied,
		Serving: s.serving(l), InFlight: s.inFlight(ctx, stay, l), Drafts: stay.DraftsOf(r.Msg.Model, l.rel), NeededBy: l.neededBy(),
	}
	if refused != nil {
		out.Problem = folder.Text(refused.Error())
	}
	for _, file := range goes.Files {
		out.Files = append(out.Files, folder.Name(file))
	}
	return connect.NewResponse(out), nil
}

// inFlight counts the requests in what goes; 0 where nobody tells.
func (s *editorService) inFlight(ctx context.Context, stay *workspace.Stay, l leaving) (sum uint64) {
	client, err := stay.Private("requests under way")
	if err != nil {
		return 0
	}
	answer, err := client.CountInFlight(ctx, &enginepb.CountInFlightRequest{Model: l.model.Scan.Name})
	if err != nil {
		return 0
	}
	for version, n := range answer.Versions {
		if l.rel == "" || l.version() == version {
			sum += n
		}
	}
	return sum
}

// Delete unloads what serves from the files, when its last request has ended moves them, and then drops their unsaved texts.
func (s *editorService) Delete(ctx context.Context, r *connect.Request[api.DeleteRequest]) (*connect.Response[api.DeleteResponse], error) {
	stay, err := s.Workspace.Stay(r.Msg.Repository)
	if err != nil {
		return nil, err
	}
	defer stay.End()
	l, err := leavingOf(stay, r.Msg.Model, r.Msg.Path)
	if err != nil {
		return nil, err
	}
	for _, d := range stay.DraftsOf(r.Msg.Model, l.rel) {
		if !slices.Contains(r.Msg.Drafts, d.Version) {
			return nil, connect.NewError(connect.CodeFailedPrecondition, errOtherDrafts)
		}
	}
	if _, err := write.LookAt(ctx, l.path, upload.Trash(s.Data, l.root)); err != nil {
		return nil, err // before anything is unloaded for it
	}
	d := deletion{leaving: l, repository: stay.ID(), serving: s.serving(l)}
	if err := d.move(ctx, stay, upload.Trash(s.Data, l.root)); err != nil {
		return nil, err
	}
	d.drafts = stay.Discard(r.Msg.Drafts)
	if d.empties() {
		stay.Emptied(r.Msg.Model)
	}
	stay.Touch(l.path)
	out := &api.DeleteResponse{}
	if d.serving == api.PlanDeleteResponse_SERVING_OTHER_VERSIONS {
		if err := loadIn(ctx, stay, r.Msg.Model); err != nil {
			out.Still = err.Error()
		}
	}
	if ctx.Err() != nil {
		return nil, s.takeBack(context.WithoutCancel(ctx), stay, d)
	}
	out.Id = s.deleted.add(d)
	return connect.NewResponse(out), nil
}

// takeBack puts back what was deleted for somebody who does not wait any more: a dialog that is closed says that nothing is deleted, and
// nobody gets the way back.
func (s *editorService) takeBack(ctx context.Context, stay *workspace.Stay, d deletion) error {
	back, err := d.putBack(ctx, stay)
	switch {
	case err != nil:
		s.Workspace.Notify(api.Notice_LEVEL_ERROR, fmt.Sprintf("The deletion of %s came to its end before it was stopped: %v", d.path, err))
	case back.why != nil:
		s.Workspace.Notify(api.Notice_LEVEL_ERROR, fmt.Sprintf("%s was put back, but not its unsaved changes: %v", d.path, back.why))
	}
	return errors.Join(context.Canceled, err)
}

// deletion is what was deleted, and how it is put back.
type deletion struct {
	leaving
	id         uint64
	repository string
	item       trash.Item
	serving    api.PlanDeleteResponse_Serving
	drafts     []*api.Draft
	isBack     bool // the files were put back, and some of the drafts were not
}

// empties reports whether the last version of a model is deleted that was unloaded for it.
func (d *deletion) empties() bool {
	return d.rel != "" && d.serving == api.PlanDeleteResponse_SERVING_UNLOADS
}

// move unloads the model where that is needed, and moves the files. After an error both are as they were.
func (d *deletion) move(ctx context.Context, stay *workspace.Stay, to trash.Trash) error {
	name := d.model.Scan.Name
	unloads := d.serving == api.PlanDeleteResponse_SERVING_UNLOADS
	var err error
	if unloads {
		err = unloadIn(ctx, stay, name)
	}
	if err == nil {
		d.item, err = write.Delete(ctx, d.path, to)
	}
	if err != nil && unloads {
		_ = loadIn(context.WithoutCancel(ctx), stay, name) // the engine's events say when that fails
	}
	return err
}

// unloadIn unloads a model, and waits for its last request.
func unloadIn(ctx context.Context, stay *workspace.Stay, model string) error {
	client, err := stay.Client()
	if err != nil {
		return err
	}
	if _, err := client.RepositoryModelUnload(ctx, &kservepb.RepositoryModelUnloadRequest{ModelName: model}); err != nil {
		return refusal(err)
	}
	engine, err := stay.Private("requests under way")
	if err == nil {
		_, err = engine.CountInFlight(ctx, &enginepb.CountInFlightRequest{Model: model, WhenLeft: true})
	}
	return err
}

func loadIn(ctx context.Context, stay *workspace.Stay, model string) error {
	client, err := stay.Client()
	if err != nil {
		return err
	}
	if _, err = client.RepositoryModelLoad(ctx, &kservepb.RepositoryModelLoadRequest{ModelName: model}); err != nil {
		return refusal(err)
	}
	return nil
}

// mostDeleted is how many deletions can be taken back.
const mostDeleted = 100

// deletions are what was deleted since the program was started, oldest first.
type deletions struct {
	mu   sync.Mutex // guards the rest
	last uint64
	list []deletion
}

func (d *deletions) add(one deletion) uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last == 0 { // a window may know deletions of an earlier run
		d.last = uint64(time.Now().UnixNano())
	}
	d.last++
	one.id = d.last
	d.list = append(d.list, one)
	d.list = d.list[max(0, len(d.list)-mostDeleted):]
	return d.last
}

// find returns a deletion of a repository.
func (d *deletions) find(id uint64, repository string) (deletion, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, one := range d.list {
		if one.id == id && one.repository == repository {
			return one, nil
		}
	}
	return deletion{}, connect.NewError(connect.CodeNotFound, errors.New("what was deleted is not known any more: put it back from the trash"))
}

// leave keeps of a deletion that was taken back the unsaved texts that were not, for another try.
func (d *deletions) leave(id uint64, drafts []*api.Draft) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(drafts) == 0 {
		d.list = slices.DeleteFunc(d.list, func(one deletion) bool { return one.id == id })
	}
	for i := range d.list {
		if d.list[i].id == id {
			d.list[i].isBack, d.list[i].drafts = true, drafts
		}
	}
}

// UndoDelete puts files back with their unsaved texts. Where some of these have no room, it can be asked again for them.
func (s *editorService) UndoDelete(ctx context.Context, r *connect.Request[api.UndoDeleteRequest]) (*connect.Response[api.UndoDeleteResponse], error) {
	stay, err := s.Workspace.Stay(r.Msg.Repository)
	if err != nil {
		return nil, err
	}
	defer stay.End()
	d, err := s.deleted.find(r.Msg.Id, stay.ID())
	if err != nil {
		return nil, err
	}
	back, err := d.putBack(ctx, stay)
	if err != nil {
		return nil, err
	}
	s.deleted.leave(d.id, back.unkept)
	return connect.NewResponse(&api.UndoDeleteResponse{Unkept: fileNames(back.unkept), Why: back.sentence()}), nil
}

// putBack puts the files back, unless they are back already, and then their unsaved texts. An error says that the files are not back.
func (d *deletion) putBack(ctx context.Context, stay *workspace.Stay) (restored, error) {
	if !d.isBack {
		if err := d.putFilesBack(ctx, stay); err != nil {
			return restored{}, err
		}
	}
	return restoreIn(stay, d.model.Scan.Root, d.drafts), nil
}

// putFilesBack puts the files back, and loads what was unloaded for them.
func (d *deletion) putFilesBack(ctx context.Context, stay *workspace.Stay) error {
	name := d.model.Scan.Name
	if err := stay.ReachRoot(d.model.Scan.Root, workspace.ThenRetry); err != nil {
		return err
	}
	if err := d.isWhereItWas(); err != nil {
		return err
	}
	forget := func() {}
	if d.rel == "" {
		origin := workspace.Renamed
		if d.serving == api.PlanDeleteResponse_SERVING_UNLOADS {
			origin = workspace.Created
		}
		forget = stay.Expect(name, origin)
	}
	if err := write.PutBack(ctx, d.item); err != nil {
		forget()
		return err
	}
	if d.empties() {
		stay.Refilled(name)
	}
	stay.Touch(d.path)
	if d.version() != 0 && (d.serving == api.PlanDeleteResponse_SERVING_UNLOADS || d.serving == api.PlanDeleteResponse_SERVING_OTHER_VERSIONS) {
		_ = loadIn(ctx, stay, name) // the engine's events say when that fails
	}
	return nil
}
