package rpc

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/handover"
	"conch/app/language"
	"conch/configedit/release"
)

// handoverService makes the files that serve the open repository with the real Triton.
type handoverService struct {
	*Server

	writing sync.Mutex // held while an export is written: a second one would take its copy away
}

// unnamed stands for the folder of the files in an export that is only shown.
const unnamed = "FOLDER"

// PrepareExport makes the files in memory and says what would not run.
func (s *handoverService) PrepareExport(ctx context.Context, r *connect.Request[api.PrepareExportRequest]) (*connect.Response[api.PrepareExportResponse], error) {
	e, _, err := s.prepare(ctx, r.Msg.Choice, unnamed)
	if err != nil {
		return nil, err
	}
	out := &api.PrepareExportResponse{Notes: e.Notes, Bytes: e.Bytes}
	for _, one := range e.Environments {
		out.Environments = append(out.Environments, &api.ExportEnvironment{Model: one.Model, Of: one.Of(), Bytes: one.Size()})
	}
	for _, p := range e.Problems {
		out.Problems = append(out.Problems, &api.ExportProblem{Model: p.Model, Path: p.Path, Rule: p.Rule, Text: p.Text})
	}
	for _, f := range e.Files {
		out.Files = append(out.Files, &api.ExportFile{Name: f.Name, Text: f.Text})
	}
	for _, known := range release.All() {
		out.Releases = append(out.Releases, known.Name)
	}
	return connect.NewResponse(out), nil
}

// prepare makes the export of a choice, of the repository that is open, as it is on disk.
func (s *handoverService) prepare(ctx context.Context, choice *api.ExportChoice, dir string) (*handover.Export, handover.Options, error) {
	opts := handover.Options{
		Target: handover.Target(choice.GetTarget()), Roots: s.Workspace.Repository().GetRoots(), Storage: choice.GetStorage(),
		Flags: language.Flags{Release: release.Newest()},
	}
	if len(opts.Roots) == 0 {
		return nil, opts, connect.NewError(connect.CodeFailedPrecondition, errors.New("no repository is open"))
	}
	if name := choice.GetRelease(); name != "" {
		if opts.Flags.Release = release.Find(name); opts.Flags.Release == nil {
			return nil, opts, invalid(fmt.Errorf("no release %q of Triton is known", name))
		}
	}
	if choice.GetPack() {
		opts.Pack = filepath.Join(dir, handover.PackedName)
	}
	measured, err := handover.MostMemory(ctx, s.Store, opts.Roots)
	if err != nil {
		s.Log.Warn("the memory of an export was not read", "error", err)
	}
	opts.Measured = measured
	e, err := handover.Prepare(ctx, opts)
	if err != nil && ctx.Err() == nil {
		err = invalid(err)
	}
	return e, opts, err
}

// WriteExport writes the files of a choice into a folder. It refuses while something would not run there, unless it is asked
// to write anyway.
func (s *handoverService) WriteExport(ctx context.Context, r *connect.Request[api.WriteExportRequest]) (*connect.Response[api.WriteExportResponse], error) {
	dir := s.Workspace.Path(r.Msg.Folder)
	if !filepath.IsAbs(dir) {
		return nil, invalid(fmt.Errorf("%q is not the path of a folder from / or from ~", r.Msg.Folder))
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	e, opts, err := s.prepare(ctx, r.Msg.Choice, dir)
	if err != nil {
		return nil, err
	}
	if len(e.Problems) > 0 && !r.Msg.Anyway {
		return nil, connect.NewError(connect.CodeFailedPrecondition, fmt.Errorf("%d problems keep the repository from running there", len(e.Problems)))
	}
	var packed []string
	done, err := e.Write(ctx, dir, opts, handover.Packing{Interpreter: handover.Interpreter(), Told: func(line string) { packed = append(packed, line) }})
	if err != nil {
		return nil, unmet(err)
	}
	out := &api.WriteExportResponse{
		Folder: dir, Written: append(done.Made, done.Changed...), Edited: done.Edited, Kept: done.Kept, Same: done.Same, Removed: done.Removed, Packed: packed,
	}
	for _, c := range done.Conflicts {
		out.Conflicts = append(out.Conflicts, &api.ExportConflict{File: c.File, Line: int32(c.Line), Kept: c.Kept, Offered: c.Offered})
	}
	return connect.NewResponse(out), nil
}
