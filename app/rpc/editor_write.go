package rpc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/language"
	"conch/app/overlay"
	"conch/app/upload"
	"conch/app/workspace"
	"conch/configedit/folder"
	"conch/repo/write"
)

// mostFiles limits what is written at once.
const mostFiles = 1000

// pending is a file that will be written.
type pending struct {
	asked  *api.FileWrite
	file   string
	before []byte
	// base is what was on disk, and after what was written. after is the zero Version until then.
	base, after write.Version
	// unsaved is the unsaved text that the written text includes; nil where there is none.
	unsaved *string
}

// WriteFiles writes several files or none. It checks that each file is as it was when the change was
// planned: all of them before the first write, and each again before its own. If one fails then, the
// files before it are restored.
func (s *editorService) WriteFiles(_ context.Context, r *connect.Request[api.WriteFilesRequest]) (*connect.Response[api.WriteFilesResponse], error) {
	stay, err := s.Workspace.Stay(r.Msg.Repository)
	if err != nil {
		return nil, err
	}
	defer stay.End()
	analysis := stay.Disk()
	list, changed, err := prepare(stay, r.Msg.Files, workspace.ThenRetry)
	if err != nil {
		return nil, err
	}
	if len(changed) > 0 {
		return connect.NewResponse(&api.WriteFilesResponse{Changed: changed}), nil
	}
	changed, err = writeAll(list)
	if err != nil || len(changed) > 0 {
		return connect.NewResponse(&api.WriteFilesResponse{Changed: changed}), err
	}
	err = noteSaved(stay, list)
	stay.Touch(lyingAt(analysis, list)...)
	return connect.NewResponse(&api.WriteFilesResponse{Files: written(list)}), err
}

// writeAll writes one file after the other. When one fails, the files before it are restored.
func writeAll(list []pending) (changed []*api.FileName, err error) {
	for i := range list {
		err := list[i].write()
		var conflict *write.ConflictError
		if err == nil {
			continue
		}
		err = errors.Join(err, putBack(list[:i]))
		if errors.As(err, &conflict) {
			return []*api.FileName{list[i].name()}, nil
		}
		return nil, err
	}
	return nil, nil
}

func written(list []pending) []*api.WrittenFile {
	out := make([]*api.WrittenFile, 0, len(list))
	for _, p := range list {
		out = append(out, &api.WrittenFile{
			Model: p.asked.Model, Path: p.asked.Path, Version: p.after.Hash, Before: string(p.before), Draft: p.unsaved,
		})
	}
	return out
}

// noteSaved notes what was written. The unsaved texts that this includes end, and others may replace
// them.
func noteSaved(stay *workspace.Stay, list []pending) error {
	var failed error
	for _, p := range list {
		file := workspace.File{Model: p.asked.Model, Path: p.asked.Path}
		base := overlay.Base{Version: p.after.Hash, Text: p.asked.Text}
		stay.Saved(file, base, overlay.Part{Version: p.asked.DraftVersion})
		if p.asked.Draft == nil {
			continue
		}
		_, err := stay.Edit(file, overlay.Edit{Text: *p.asked.Draft, Base: base})
		var newer *overlay.NewerError // it was typed during the write, and stays
		if err != nil && !errors.As(err, &newer) {
			failed = errors.Join(failed, fmt.Errorf("everything was written, but the unsaved text of %s/%s is not kept: %w", file.Model, file.Path, err))
		}
	}
	return failed
}

// lyingAt returns the paths of files as the repository lists them: without following links.
func lyingAt(analysis *language.Analysis, list []pending) []string {
	var paths []string
	for _, p := range list {
		if m, ok := analysis.Model(p.asked.Model); ok {
			paths = append(paths, path.Join(m.Scan.Dir, folder.Raw(p.asked.Path)))
		}
	}
	return paths
}

// prepare checks all files, and returns which have changed. then is as for placeIn.
func prepare(stay *workspace.Stay, files []*api.FileWrite, then string) (list []pending, changed []*api.FileName, err error) {
	if len(files) > mostFiles {
		return nil, nil, invalid(fmt.Errorf("%d files are too many to write at once; at most %d can be written together", len(files), mostFiles))
	}
	seen := map[string]bool{}
	for _, asked := range files {
		file, err := placeIn(stay, asked.Model, asked.Path, then)
		if err != nil {
			return nil, nil, err
		}
		if seen[file] || len(asked.Text) > maxText {
			return nil, nil, invalid(fmt.Errorf("%s/%s is named twice, or too large to be written", asked.Model, asked.Path))
		}
		seen[file] = true
		content, version, err := write.Read(file)
		if err != nil {
			return nil, nil, err
		}
		p := pending{asked: asked, file: file, before: content, base: version}
		draft, edited := stay.Draft(workspace.File{Model: asked.Model, Path: asked.Path})
		if edited {
			p.unsaved = &draft.Text
		}
		if version.Hash != asked.BaseVersion || draft.Version != asked.DraftVersion {
			changed = append(changed, p.name())
		}
		list = append(list, p)
	}
	return list, changed, nil
}

func (p *pending) name() *api.FileName {
	return &api.FileName{Model: p.asked.Model, Path: p.asked.Path}
}

// write writes the file. It makes the folder where a new file needs one.
func (p *pending) write() error {
	if !p.base.Exists() {
		if err := os.MkdirAll(path.Dir(p.file), 0o777); err != nil {
			return err
		}
	}
	after, err := write.Save(p.file, withLineEndsOf(p.before, p.asked.Text), p.base)
	p.after = after
	return err
}

// putBack restores what was written, unless somebody has written since.
func putBack(list []pending) error {
	var failed error
	for _, p := range list {
		if !p.base.Exists() {
			failed = errors.Join(failed, p.remove())
			continue
		}
		_, err := write.Save(p.file, p.before, p.after)
		failed = errors.Join(failed, err)
	}
	return failed
}

// remove removes a file that write made, unless somebody has written it since.
func (p *pending) remove() error {
	content, version, err := write.Read(p.file)
	switch {
	case err != nil || !version.Exists():
		return err
	case !version.Same(p.after):
		return &write.ConflictError{Path: p.file, Disk: content, Version: version}
	}
	return os.Remove(p.file)
}

// CreateFile makes a text file of a model, and the folders on its way.
func (s *editorService) CreateFile(_ context.Context, r *connect.Request[api.CreateFileRequest]) (*connect.Response[api.CreateFileResponse], error) {
	if len(r.Msg.Text) > maxText {
		return nil, invalid(fmt.Errorf("%s/%s was not made: it has %d MiB, and Conch saves up to %d MiB", r.Msg.Model, r.Msg.Path, len(r.Msg.Text)>>20, maxText>>20))
	}
	stay, err := s.Workspace.Stay(r.Msg.Repository)
	if err != nil {
		return nil, err
	}
	defer stay.End()
	file, err := newPlace(stay, r.Msg.Model, r.Msg.Path, false)
	if err != nil {
		return nil, err
	}
	root, err := firstRoot(stay)
	if err != nil {
		return nil, err
	}
	m, _ := stay.Disk().Model(r.Msg.Model)
	made := firstMissing(m, path.Dir(r.Msg.Path))
	if err := upload.Waiting(s.Data, root).NewFile(file, []byte(r.Msg.Text)); err != nil {
		return nil, err
	}
	stay.Touch(lyingAt(stay.Disk(), []pending{{asked: &api.FileWrite{Model: r.Msg.Model, Path: r.Msg.Path}}})...)
	return connect.NewResponse(&api.CreateFileResponse{Made: made}), nil
}

// newPlace is where a new file or folder of a model will be.
func newPlace(stay *workspace.Stay, model, rel string, isFolder bool) (string, error) {
	if err := write.CheckPath(rel, isFolder); err != nil {
		return "", err
	}
	return placeIn(stay, model, rel, workspace.ThenRetry)
}

// CreateFolder makes a folder of a model, such as its version 1.
func (s *editorService) CreateFolder(_ context.Context, r *connect.Request[api.CreateFolderRequest]) (*connect.Response[api.CreateFolderResponse], error) {
	stay, err := s.Workspace.Stay(r.Msg.Repository)
	if err != nil {
		return nil, err
	}
	defer stay.End()
	dir, err := newPlace(stay, r.Msg.Model, r.Msg.Path, true)
	if err != nil {
		return nil, err
	}
	m, _ := stay.Disk().Model(r.Msg.Model)
	made := firstMissing(m, r.Msg.Path)
	if err := write.NewFolder(dir); err != nil {
		return nil, err
	}
	stay.Touch(dir)
	return connect.NewResponse(&api.CreateFolderResponse{Made: made}), nil
}
