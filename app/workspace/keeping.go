package workspace

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"conch/app/api"
	"conch/app/overlay"
	"conch/app/store"
	"conch/engine/period"
)

// settleFor is how long an orderly end tries to keep texts that no place takes.
const settleFor = 5 * time.Second

// keepingCause is the cause of notices about how unsaved texts are kept.
const keepingCause = "keeping"

// keeping is how unsaved texts are kept. It is guarded by Workspace.mu.
type keeping struct {
	// state is "" while all is well. Otherwise it changes with what is reported, but not with the
	// wording of errors.
	state  string
	notice *api.Notice
}

// LostError names the files whose unsaved texts are stored nowhere when the program ends.
type LostError struct {
	Files []string
	Why   string
}

func (e *LostError) Error() string {
	return fmt.Sprintf("the unsaved changes of these files are lost, since %s: %s", e.Why, strings.Join(e.Files, ", "))
}

// ShortLivedError names the files whose unsaved texts, when the program ends, are only in folders that do
// not survive a restart of the machine.
type ShortLivedError struct {
	Risk
	// Dir is the data folder, which should have space.
	Dir string
}

func (e *ShortLivedError) Error() string {
	return fmt.Sprintf("the unsaved changes of these files are in %s only until this machine is restarted or you log out: %s. Free some space in %s and start Conch again before that",
		strings.Join(e.Folders, ", "), strings.Join(e.ShortLived, ", "), e.Dir)
}

// Risk is what would happen to unsaved texts if the program ended now.
type Risk struct {
	// Lost are the files whose texts are stored nowhere.
	Lost []string
	// ShortLived are the files whose texts are only in Folders, which do not survive a restart of the
	// machine.
	ShortLived, Folders []string
}

// noteKept tells people when unsaved texts are in an unusual place or stored nowhere, and when that is
// over.
func (w *Workspace) noteKept(elsewhere []overlay.Spot, err error) {
	state, level, text := describeKeeping(w.opts.Recovery.Dir(), elsewhere, err)
	if err != nil {
		w.opts.Log.Debug("unsaved texts are not being kept", "error", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if state == w.keeping.state {
		return
	}
	w.keeping.state = state
	at := w.opts.Now()
	id := w.opts.Store.AddEvent(store.Event{Repository: w.key(), Time: at, Level: int(level), Text: text})
	n := &api.Notice{Id: uint64(id), Time: at.UnixMilli(), Level: level, Text: text, Cause: keepingCause}
	if w.keeping.notice = n; state == "" {
		w.keeping.notice = nil
	}
	w.commit(change{notices: []*api.Notice{n}})
}

// describeKeeping returns what people are told. dir is the folder that should have space.
func describeKeeping(dir string, elsewhere []overlay.Spot, err error) (state string, level api.Notice_Level, text string) {
	var unkept *overlay.UnkeptError
	if errors.As(err, &unkept) && len(unkept.Keys) > 0 {
		files := filesOf(unkept.Keys)
		return "lost\n" + strings.Join(files, "\n"), api.Notice_LEVEL_ERROR, fmt.Sprintf(
			"Unsaved changes%s cannot be kept: %s. They are lost when Conch ends. Free some space in %s, or save your files.",
			shortList(" of ", files), whyNot(err), dir)
	}
	for _, spot := range elsewhere {
		state += "at " + spot.Path + "\n"
		level, text = api.Notice_LEVEL_WARNING, fmt.Sprintf(
			"Nothing new can be written in %s. Unsaved changes are kept in space that was reserved there. Free some space.", dir)
		if spot.ShortLived {
			return state, api.Notice_LEVEL_ERROR, fmt.Sprintf(
				"Unsaved changes cannot be kept in %s. They are in %s until this machine is restarted or you log out. Free some space in %s, or save your files.",
				dir, spot.Path, dir)
		}
	}
	if state == "" && err != nil {
		return "left over", api.Notice_LEVEL_WARNING, fmt.Sprintf(
			"Nothing is lost, but changes that you saved or discarded may come back as unsaved ones when Conch starts again: their copies cannot be removed: %s.",
			whyNot(err))
	}
	if state == "" {
		return "", api.Notice_LEVEL_INFO, "Unsaved changes are kept as usual again."
	}
	return state, level, text
}

// whyNot returns the reason in words for people.
func whyNot(err error) string {
	if errors.Is(err, syscall.ENOSPC) {
		return "the disk is full"
	}
	if errors.Is(err, syscall.EDQUOT) {
		return "your quota of the disk is used up"
	}
	return strings.Join(slices.Compact(strings.Split(err.Error(), "\n")), "; ")
}

// shortList names files, at most a few; "" where there are none.
func shortList(before string, files []string) string {
	const most = 3
	switch {
	case len(files) == 0:
		return ""
	case len(files) > most:
		return fmt.Sprintf("%s%s and %d more files", before, strings.Join(files[:most], ", "), len(files)-most)
	}
	return before + strings.Join(files, ", ")
}

func filesOf(keys []overlay.Key) (files []string) {
	for _, key := range keys {
		files = append(files, filepath.Join(key.Root, filepath.FromSlash(key.Path)))
	}
	slices.Sort(files)
	return files
}

// withKeeping needs mu. It adds the notices about keeping and about the history, for a page that
// connects later.
func (w *Workspace) withKeeping(notices []*api.Notice) []*api.Notice {
	for _, n := range []*api.Notice{w.keeping.notice, w.unwritten} {
		if n != nil && !slices.Contains(notices, n) {
			notices = append(notices, n)
		}
	}
	return notices
}

// Risk tries to keep what is unsaved, and returns what would happen to the rest if the program ended
// now.
func (w *Workspace) Risk() Risk {
	var r Risk
	var unkept *overlay.UnkeptError
	if errors.As(w.keeper.Flush(context.Background()), &unkept) {
		r.Lost = filesOf(unkept.Keys)
	}
	keys, spots := w.keeper.ShortLived()
	r.ShortLived = filesOf(keys)
	for _, spot := range spots {
		r.Folders = append(r.Folders, spot.Path)
	}
	slices.Sort(r.Folders)
	return r
}

// settleDrafts tries for a while to keep what is unsaved. A ShortLivedError names the texts that are kept
// for a short time only.
func (w *Workspace) settleDrafts() error {
	risk := w.Risk()
	if len(risk.Lost) > 0 {
		w.settle(risk.Lost)
		risk = w.Risk()
	}
	if len(risk.ShortLived) > 0 {
		return &ShortLivedError{Risk: risk, Dir: w.opts.Recovery.Dir()}
	}
	return nil
}

// settle tries for a while to keep the unsaved texts of these files.
func (w *Workspace) settle(files []string) {
	w.opts.Log.Error(fmt.Sprintf("unsaved changes%s cannot be kept yet; free some space in %s within %s",
		shortList(" of ", files), w.opts.Recovery.Dir(), period.Text(settleFor)))
	ctx, stop := context.WithTimeout(context.Background(), settleFor)
	defer stop()
	_ = w.keeper.Settle(ctx) // the close of the keeper returns the error again
}

// lost returns the LostError for an error of the keeper.
func (w *Workspace) lost(err error) error {
	var unkept *overlay.UnkeptError
	if !errors.As(err, &unkept) {
		return err
	}
	if len(unkept.Keys) == 0 { // nothing is lost: a text that was removed may come back
		w.opts.Log.Warn("unsaved texts that were removed may come back", "error", err)
		return nil
	}
	return &LostError{Files: filesOf(unkept.Keys), Why: whyNot(err)}
}
