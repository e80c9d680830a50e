package workspace

import (
	"conch/app/api"
	"conch/app/store"
)

// historyCause is the cause of notices about whether history is being written.
const historyCause = "history"

// NotifyHistory tells people what happened to the history. While it is not being written, pages that
// connect later are told too.
func (w *Workspace) NotifyHistory(text string, failing bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := w.opts.Now()
	n := &api.Notice{Time: at.UnixMilli(), Level: api.Notice_LEVEL_WARNING, Text: text}
	switch {
	case failing:
		n.Cause = historyCause
		w.unwritten = n
	case w.unwritten != nil:
		n.Cause, n.Level = historyCause, api.Notice_LEVEL_INFO
		w.unwritten = nil
	}
	event := store.Event{Repository: w.key(), Time: at, Level: int(n.Level), Text: text}
	n.Id = uint64(w.opts.Store.AddEvent(event))
	w.commit(change{notices: []*api.Notice{n}})
}
