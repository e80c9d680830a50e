package workspace

import (
	"fmt"
	"time"

	"conch/app/language"
	"conch/app/overlay"
	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/kservepb"
	"conch/repo/scan"
)

// stayFor is how long a repository that is left waits for its users.
const stayFor = 10 * time.Second

// Stay is the use of one repository for an operation of several steps. All steps are on this
// repository, which stays open until End; opening another one waits. A Stay does not call the methods
// of Workspace that it also has.
type Stay struct{ s *openRepository }

// Stay begins to use the open repository, if it is the requested one; "" means the open one.
func (w *Workspace) Stay(repository string) (*Stay, error) {
	s, err := w.meant(repository)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open != s || s.leaving {
		return nil, fmt.Errorf("%w, or is being opened; open %s again to go on with its files", ErrOtherRepository, s.name(s.id))
	}
	s.stays++
	return &Stay{s}, nil
}

// End ends the use.
func (u *Stay) End() {
	u.s.w.mu.Lock()
	defer u.s.w.mu.Unlock()
	u.s.stays--
	if u.s.leaving && u.s.stays == 0 {
		close(u.s.vacant)
	}
}

// vacate waits for the users of the repository. No new use may begin.
func (s *openRepository) vacate() {
	s.w.mu.Lock()
	s.leaving = true
	stays := s.stays
	s.w.mu.Unlock()
	if stays == 0 {
		return
	}
	select {
	case <-s.vacant:
	case <-time.After(stayFor): // a disk does not answer; what it does later still belongs to this repository
		s.w.opts.Log.Warn("a repository is left while files of it are written", "repository", s.id)
	}
}

// ID returns the repository's ID, as pages know it.
func (u *Stay) ID() string { return u.s.id }

// HistoryKey is Workspace.HistoryKey.
func (u *Stay) HistoryKey() string {
	u.s.w.mu.Lock()
	defer u.s.w.mu.Unlock()
	return u.s.side.historyKey(u.s.key)
}

// Key returns the repository's name in the store.
func (u *Stay) Key() string { return u.s.key }

// Disk returns the analysis of the configs as they are saved.
func (u *Stay) Disk() *language.Analysis {
	u.s.w.mu.Lock()
	defer u.s.w.mu.Unlock()
	return u.s.disk
}

// Client is Workspace.Client.
func (u *Stay) Client() (kservepb.GRPCInferenceServiceClient, error) { return u.s.client() }

// Private is Workspace.Private.
func (u *Stay) Private(what string) (enginepb.EngineClient, error) { return u.s.private(what) }

// Touch rescans files that were just written, without waiting for the watcher.
func (u *Stay) Touch(paths ...string) { u.s.repo.Touch(paths...) }

// Edit is Workspace.Edit.
func (u *Stay) Edit(file File, e overlay.Edit) (overlay.Draft, error) {
	key, err := u.s.find(file)
	if err != nil {
		return overlay.Draft{}, err
	}
	e.Key = key
	drafts := u.s.w.drafts
	before, _ := drafts.Get(key)
	d, err := drafts.Put(e)
	if err == nil && d.Version != before.Version {
		u.s.redraw()
	}
	return d, err
}

// Draft returns the unsaved text of a file; false when there is none.
func (u *Stay) Draft(file File) (overlay.Draft, bool) {
	key, err := u.s.find(file)
	if err != nil {
		return overlay.Draft{}, false
	}
	return u.s.w.drafts.Get(key)
}

// Rival returns the other unsaved text of a file, from an earlier run, which a person chooses or
// discards; false when there is none.
func (u *Stay) Rival(file File) (overlay.Draft, bool) {
	key, err := u.s.find(file)
	if err != nil {
		return overlay.Draft{}, false
	}
	return u.s.w.drafts.Rival(key)
}

// Saved notes what was written to a file, and which part of its unsaved text that includes.
func (u *Stay) Saved(file File, base overlay.Base, part overlay.Part) {
	if key, err := u.s.find(file); err == nil {
		u.s.w.drafts.Saved(key, base, part)
		u.s.redraw()
	}
}

// RenameDrafts moves the unsaved texts of a model to its new name.
func (u *Stay) RenameDrafts(m *scan.Model, to string) {
	root := u.s.realRoot(m.Root)
	u.s.w.drafts.Move(overlay.Key{Root: root, Path: m.Name}, overlay.Key{Root: root, Path: to})
	u.s.redraw()
}

// MoveDraft moves the unsaved text of a file of a model to the file's new path.
func (u *Stay) MoveDraft(m *scan.Model, from, to string) {
	root := u.s.realRoot(m.Root)
	u.s.w.drafts.Move(overlay.Key{Root: root, Path: m.Name + "/" + from}, overlay.Key{Root: root, Path: m.Name + "/" + to})
	u.s.redraw()
}
