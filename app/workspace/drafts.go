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

// ErrOtherRepository is answered to whoever means a repository that is not the open one.
var ErrOtherRepository = errors.New("another repository is open now")

// ErrNoModel is answered about files of a model that is not there.
var ErrNoModel = errors.New("there is no such model in the repository")

// File names a file as a window does.
type File struct {
	// Repository is the ID of the repository that is meant; "" is whichever is open.
	Repository string
	Model      string
	Path       string // relative to the model's folder
}

// Run names this run of the program: a window that knows drafts of an earlier run may have newer texts than the store.
func (w *Workspace) Run() string { return w.run }

// Edit keeps an unsaved text, which then counts wherever the file does. The draft is the zero one when the text is what
// is on disk. The errors are those of overlay.Overlay, and ErrOtherRepository.
func (w *Workspace) Edit(file File, e overlay.Edit) (overlay.Draft, error) {
	stay, err := w.Stay(file.Repository)
	if err != nil {
		return overlay.Draft{}, err
	}
	defer stay.End()
	return stay.Edit(file, e)
}

// Draft is the unsaved text of a file; false when there is none.
func (w *Workspace) Draft(file File) (overlay.Draft, bool) {
	stay, err := w.Stay(file.Repository)
	if err != nil {
		return overlay.Draft{}, false
	}
	defer stay.End()
	return stay.Draft(file)
}

// Discard removes drafts by their versions and gives them; those that changed since stay.
func (w *Workspace) Discard(repository string, versions []uint64) ([]*api.Draft, error) {
	stay, err := w.Stay(repository)
	if err != nil {
		return nil, err
	}
	defer stay.End()
	s := stay.s
	var gone []*api.Draft
	for _, root := range s.realRoots() {
		rivals := w.drafts.RivalsIn(root)
		for _, d := range w.drafts.In(root) {
			if !slices.Contains(versions, d.Version) {
				continue
			}
			if d, ok := w.drafts.Drop(d.Key); ok {
				gone = append(gone, DraftMessage(d))
			}
		}
		for _, d := range rivals {
			if slices.Contains(versions, d.Version) && w.drafts.DropRival(d.Key, d.Version) {
				gone = append(gone, DraftMessage(d))
			}
		}
	}
	s.redraw()
	return gone, nil
}

// Means says whether a repository is the open one; the error is for people.
func (w *Workspace) Means(repository string) error {
	_, err := w.meant(repository)
	return err
}

// meant is the open repository, when it is the one that is meant.
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

// find is where the draft of a file is. A model that is not there now may come back: its texts are kept meanwhile, as
// of the first root that knows one of it.
func (s *openRepository) find(file File) (overlay.Key, error) {
	if file.Path == "" || !filepath.IsLocal(filepath.FromSlash(file.Path)) || !filepath.IsLocal(file.Model) {
		return overlay.Key{}, fmt.Errorf("%w: %q has no file %q", ErrNoModel, file.Model, file.Path)
	}
	key := overlay.Key{Path: path.Join(file.Model, file.Path)}
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

// realRoot is the identity of a root. It is found out once: a root that goes away keeps it.
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

// name is a repository as people say it.
func (s *openRepository) name(id string) string {
	return strings.ReplaceAll(strings.ReplaceAll(id, s.w.opts.Home+"/", "~/"), "\n", ", ")
}

// recoverFiles brings back the unsaved texts of an earlier run that are in recovery files, before anything can be typed.
func (s *openRepository) recoverFiles() {
	for _, root := range s.realRoots() {
		if err := s.w.keeper.Begin(root); err != nil {
			s.w.Notify(api.Notice_LEVEL_ERROR, fmt.Sprintf("Some unsaved texts of an earlier run were not brought back: %v.", err))
		}
	}
}

// restore brings back what an earlier run left unsaved, and says so.
func (s *openRepository) restore(ctx context.Context) {
	var names []string
	for _, root := range s.realRoots() {
		list, err := s.w.keeper.Bring(ctx, root)
		if err != nil && !errors.Is(err, store.ErrLocked) { // the store tells of that
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

// restoreLate takes in what could not be read when the repository was opened.
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

// tellBrought shows unsaved texts that were brought back.
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

// redraw takes the unsaved texts as they are now into the analysis and the snapshot.
func (s *openRepository) redraw() {
	s.installMu.Lock()
	defer s.installMu.Unlock()
	s.w.mu.Lock()
	disk := s.disk
	s.w.mu.Unlock()
	s.install(disk, nil, nil)
}

// install replaces the analysis by what is on disk with the unsaved texts over it. It needs installMu, so that analyses
// are installed in the order in which they are made. files are those that changed on disk. note, which may be nil, runs under the lock.
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

// unsaved are the drafts of the open roots, and the texts of them that belong to a model.
func (s *openRepository) unsaved(disk *language.Analysis) (*api.Drafts, language.Texts) {
	out, texts := &api.Drafts{Run: s.w.run}, language.Texts{}
	for _, root := range s.realRoots() {
		for _, d := range s.w.drafts.In(root) {
			name, rel, _ := strings.Cut(d.Path, "/")
			m, ok := disk.Model(name)
			ok = ok && s.realRoot(m.Scan.Root) == root // else it is of a model that is hidden by another of its name
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

// DraftMessage is a draft in the words of the API.
func DraftMessage(d overlay.Draft) *api.Draft {
	model, rel, _ := strings.Cut(d.Path, "/")
	return &api.Draft{Model: model, Path: rel, Text: d.Text, Version: d.Version, BaseText: d.Base.Text, BaseVersion: d.Base.Version}
}

// runName tells runs of the program apart.
func runName(now time.Time) string { return fmt.Sprint(now.UnixNano()) }
