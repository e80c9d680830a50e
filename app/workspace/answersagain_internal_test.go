package workspace

import (
	"testing"
	"time"

	"conch/app/api"
	"conch/app/enginehost"
	"conch/app/store"
)

// An engine that answers again is good news, and that one runs again which had ended is a warning.
func TestAnswersAgain(t *testing.T) {
	for name, c := range map[string]struct {
		before, now enginehost.Status
		want        api.Notice_Level
	}{
		"it was silent": {enginehost.Status{State: enginehost.Silent, PID: 7}, enginehost.Status{State: enginehost.Ready, PID: 7}, api.Notice_LEVEL_INFO},
		"it had ended":  {enginehost.Status{State: enginehost.Starting}, enginehost.Status{State: enginehost.Ready, PID: 8, Restarts: 1}, api.Notice_LEVEL_WARNING},
	} {
		t.Run(name, func(t *testing.T) {
			history, err := store.Open(t.Context(), store.Options{Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = history.Close() })
			s := &openRepository{w: &Workspace{opts: Options{Store: history, Now: time.Now}}, side: &side{}}
			s.running.status = c.before
			told := &change{}
			s.noteStatus(c.now, told)
			if len(told.notices) != 1 || told.notices[0].Level != c.want {
				t.Errorf("told is %v, want one of level %v", told.notices, c.want)
			}
		})
	}
}
