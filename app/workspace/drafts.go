package workspace

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"conch/app/api"
	"conch/app/language"
	"conch/app/overlay"
	"conch/app/store"
)

// ErrOtherRepository means that the requested repository is not the open one.
var ErrOtherRepository = errors.New("another repository is open now")

// ErrNoModel means that a file's model does not exist.
var ErrNoModel = errors.New("the repository has no such model: its folder was removed or renamed")

// File names a file as a window does.
type File struct {
	// Repository is the ID of the file's repository; "" means the open one.
	Repository string
	// Root is the folder of the repository that the model lies in; "" where the list of models tells it. A model that has just come may not be
	// listed yet.
	Root  string
	Model string
	Path  string // relative to the model's folder
}

// Run returns the name of this run of the program. A window that knows drafts of an earlier run may
// have newer texts than the store.
func (w *Workspace) Run() string { return w.run }

// Edit keeps an unsaved text. It then replaces the file's text everywhere. The draft is the zero one
// when the text equals the file on disk. The errors are those of overlay.Overlay, and
// ErrOtherRepository.
func (w *Workspace) Edit(file File, e overlay.Edit) (overlay.Draft, error) {
	stay, err := w.Stay(file.Repository)
	if err != nil {
		return overlay.Draft{}, err
	}
	defer stay.End()
	return stay.Edit(file, e)
}

// Draft returns the unsaved text of a file; false when there is none.
func (w *Workspace) Draft(file File) (overlay.Draft, bool) {
	stay, err := w.Stay(file.Repository)
	if err != nil {
		return overlay.Draft{}, false
	}
	defer stay.End()
	return stay.Draft(file)
}

// Discard removes drafts by their versions and returns them. Those that changed since stay.
func (w *Workspace) Discard(repository string, versions []uint64) ([]*api.Draft, error) {
	stay, err := w.Stay(repository)
	if err != nil {
		return nil, err
	}
	defer stay.End()
	return stay.Discard(versions), nil
}

// Discard is Workspace.Discard.
func (u *Stay) Discard(versions []uint64) (gone []*api.Draft) {
	s, drafts := u.s, u.s.w.drafts
	for _, root := range s.realRoots() {
		rivals := drafts.RivalsIn(root)
		for _, d := range drafts.In(root) {
			if !slices.Contains(versions, d.Version) {
				continue
			}
			if d, ok := drafts.Drop(d.Key); ok {
				gone = append(gone, DraftMessage(d))
			}
		}
		for _, d := range rivals {
			if slices.Contains(versions, d.Version) && drafts.DropRival(d.Key, d.Version) {
				gone = append(gone, DraftMessage(d))
			}
		}
	}
	s.redraw()
	return gone
}

// DraftsOf lists the unsaved texts of a model that are in a file or a folder of it, and those that wait beside such a
// file; of the whole model where path is "". A text of a model that another one of its name hides is not among them.
func (u *Stay) DraftsOf(model, path string) (list []*api.DraftInfo) {
	drafts, _ := u.s.unsaved(u.Disk())
	for _, d := range drafts.List {
		rest, inside := strings.CutPrefix(d.Path, path)
		if d.Model == model && !d.Missing && inside && (path == "" || rest == "" || rest[0] == '/' || strings.HasPrefix(rest, besideFile)) {
			list = append(list, d)
		}
	}
	return list
}

// besideFile follows the name of a file in the name of an unsaved text that another window left beside it
// (frontend/src/workspace/drafts.ts).
const besideFile = " (another window "

// Means fails when a repository is not the open one. The error is for people.
func (w *Workspace) Means(repository string) error {
	_, err := w.meant(repository)
	return err
}

// meant returns the open repository, if it is the requested one.
func (w *Workspace) meant(repository string) (*openRepository, error) {
	w.mu.Lock()
	s := w.open
	w.mu.Unlock()
	switch {
	case s == nil:
		return nil, ErrNothingOpen
	case repository != "" && repository != s.id:
		return nil, fmt.Errorf("%w, %s; open %s again to go on with its files", ErrOtherRepository, s.name(s.id), s.name(repository))
	}
	return s, nil
}

// find returns where the draft of a file is. A model that is missing now may come back. Until then its
// texts belong to the first root that has one.
func (s *openRepository) find(file File) (overlay.Key, error) {
	if file.Path == "" || !filepath.IsLocal(filepath.FromSlash(file.Path)) || !filepath.IsLocal(file.Model) {
		return overlay.Key{}, fmt.Errorf("%w: %q has no file %q", ErrNoModel, file.Model, file.Path)
	}
	key := overlay.Key{Path: path.Join(file.Model, file.Path)}
	if file.Root != "" {
		key.Root = s.realRoot(file.Root)
		return key, nil
	}
	if m, ok := s.currentAnalysis().Model(file.Model); ok {
		key.Root = s.realRoot(m.Scan.Root)
		return key, nil
	}
	roots := s.realRoots()
	for _, key.Root = range roots {
		if _, known := s.w.drafts.Get(key); known {
			return key, nil
		}
	}
	key.Root = roots[0]
	return key, nil
}

// realRoot returns the identity of a root. It is found once: a root that goes away keeps it.
func (s *openRepository) realRoot(root string) string {
	if real, known := s.real[root]; known {
		return real
	}
	return root
}

func (s *openRepository) realRoots() []string {
	var list []string
	for _, root := range s.roots {
		if real := s.realRoot(root); !slices.Contains(list, real) {
			list = append(list, real)
		}
	}
	return list
}

// name returns a repository's name for people.
func (s *openRepository) name(id string) string { return s.w.shown(strings.Split(id, "\n")) }

// recoverFiles restores, before anything can be typed, the unsaved texts of an earlier run from
// recovery files.
func (s *openRepository) recoverFiles() {
	for _, root := range s.realRoots() {
		if err := s.w.keeper.Begin(root); err != nil {
			s.w.Notify(api.Notice_LEVEL_ERROR, fmt.Sprintf("Some unsaved texts of an earlier run could not be restored: %v.", err))
		}
	}
}

// restore restores what an earlier run left unsaved, and says so.
func (s *openRepository) restore(ctx context.Context) {
	var names []string
	for _, root := range s.realRoots() {
		list, err := s.w.keeper.Bring(ctx, root)
		if err != nil && !errors.Is(err, store.ErrLocked) { // the store reports that
			s.w.Notify(api.Notice_LEVEL_ERROR, fmt.Sprintf("Unsaved texts of an earlier run could not be read: %v. They stay where they are, and what is typed now is kept beside them.", err))
		}
		for _, d := range list {
			if d.Restored {
				names = append(names, d.Path)
			}
		}
	}
	s.tellBrought(names)
}

// restoreLate adds what could not be read when the repository was opened.
func (w *Workspace) restoreLate(root string) {
	w.mu.Lock()
	s := w.open
	w.mu.Unlock()
	if s == nil || !slices.Contains(s.realRoots(), root) {
		return
	}
	var names []string
	for _, d := range w.drafts.In(root) {
		if _, rival := w.drafts.Rival(d.Key); d.Restored || rival {
			names = append(names, d.Path)
		}
	}
	s.tellBrought(names)
}

// tellBrought reports unsaved texts that were restored.
func (s *openRepository) tellBrought(names []string) {
	count := len(names)
	if count == 0 {
		return
	}
	text := fmt.Sprintf("Unsaved changes in %d files were brought back: %s", count, strings.Join(names[:min(count, 3)], ", "))
	if count == 1 {
		text = "Unsaved changes in 1 file were brought back: " + names[0]
	}
	if count > 3 {
		text += fmt.Sprintf(" and %d more", count-3)
	}
	s.redraw()
	s.apply(func(c *change) []string {
		c.notices = append(c.notices, s.notice(api.Notice_LEVEL_INFO, "", text))
		return nil
	})
}

// redraw updates the analysis and the snapshot with the current unsaved texts.
func (s *openRepository) redraw() {
	s.installMu.Lock()
	defer s.installMu.Unlock()
	s.w.mu.Lock()
	disk := s.disk
	s.w.mu.Unlock()
	s.install(disk, nil, nil)
}

// install replaces the analysis by what is on disk, with the unsaved texts over it. It needs
// installMu, so that analyses are installed in the order in which they are made. files are those that
// changed on disk. note, which may be nil, runs under the lock.
func (s *openRepository) install(disk *language.Analysis, files []*api.FileChange, note func()) {
	drafts, texts := s.unsaved(disk)
	prev := s.currentAnalysis()
	next := disk.Over(texts, prev)
	uses := map[string][]string{}
	for _, d := range drafts.List {
		if m, ok := next.Model(d.Model); ok && m != m.Saved() {
			uses[d.Model] = m.Uses()
		}
	}
	s.apply(func(c *change) []string {
		if note != nil {
			note()
		}
		s.disk, s.draftUses = disk, uses
		s.w.world.setDrafts(drafts, c)
		return s.noteAnalysis(next, files, c)
	})
}

// unsaved returns the drafts of the open roots, and those of their texts that belong to a model.
func (s *openRepository) unsaved(disk *language.Analysis) (*api.Drafts, language.Texts) {
	out, texts := &api.Drafts{Run: s.w.run}, language.Texts{}
	for _, root := range s.realRoots() {
		for _, d := range s.w.drafts.In(root) {
			name, rel, _ := strings.Cut(d.Path, "/")
			m, ok := disk.Model(name)
			ok = ok && s.realRoot(m.Scan.Root) == root // otherwise it belongs to a model that another one of the same name hides
			if ok {
				texts[d.Path] = []byte(d.Text)
			}
			out.List = append(out.List, &api.DraftInfo{
				Model: name, Path: rel, Version: d.Version, Changed: d.Changed.UnixMilli(), Restored: d.Restored, Missing: !ok,
			})
		}
	}
	return out, texts
}

// DraftMessage converts a draft to a message of the API.
func DraftMessage(d overlay.Draft) *api.Draft {
	model, rel, _ := strings.Cut(d.Path, "/")
	return &api.Draft{Model: model, Path: rel, Text: d.Text, Version: d.Version, BaseText: d.Base.Text, BaseVersion: d.Base.Version}
}

// runName returns a name that differs for each run of the program.
func runName(now time.Time) string { return fmt.Sprint(now.UnixNano()) }
