package workspace

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"conch/app/api"
	"conch/app/enginehost"
	"conch/app/language"
	"conch/app/overlay"
	"conch/app/store"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/engine/kserve/enginepb"
	"conch/repo"
	"conch/repo/scan"
)

// openRepository is the open repository, with its engine and everything that runs for it.
type openRepository struct {
	w     *Workspace
	key   string // names the repository in the store
	id    string // its real roots, whatever paths it was opened by
	roots []string
	real  map[string]string // by root: its real path
	repo  *repo.Repository

	ctx  context.Context
	stop context.CancelFunc
	wg   sync.WaitGroup
	// release lets other workbenches open the repository.
	release func()

	installMu sync.Mutex // held from reading the drafts to installing the analysis that is made from them

	vacant chan struct{} // closed when the last Stay ends after the repository is left

	// The rest is guarded by Workspace.mu.
	stays     int                                 // how many use the repository now
	leaving   bool                                // no new use may begin
	local     *side                               // the engine of this machine
	side      *side                               // what serves, as shown: local, or a server elsewhere
	configs   map[string]*modelconfig.ModelConfig // by model: what the server that is shown serves
	served    *language.Analysis                  // of configs; nil for none
	disk      *language.Analysis
	analysis  *language.Analysis         // disk, with the unsaved texts over it
	draftUses map[string][]string        // by ensemble with an unsaved text: the models in that text
	trouble   hindrance                  // what is wrong with the folder as a whole
	away      map[string]string          // by root: why it cannot be read, so that its models are shown as they were
	heard     uint64                     // counts the engine's events about its models
	unloaded  chan struct{}              // has a value when the engine sent an event after a root was judged to be away
	uses      map[string][]string        // by ensemble: its models
	usedBy    map[string]map[string]bool // by model: the ensembles that use it
	around    map[string]uint64          // by model: grows when the context of its config changed, but not its own text
	access    store.Access
	running   engineState
	rates     map[string]float64 // requests per second, by model
	process   processFigures
	checking  checkQueue
	arrivals  arrivals
	renewals  renewals
	faults    map[string]faults // by model: what its program raised last
	// restoring is true from the engine's start until all wanted models were loaded.
	restoring bool
	waiting   map[string]bool // the models that were loaded when the last engine ended, while restoring
	elsewhere elsewhere
	full      fullGPUs
	lost      lostGPUs
	failed    map[string]string // why other models had not loaded in the last engine, while restoring
	servedOn  map[string]int64  // the version that served in the last engine after a load that failed, by model, while restoring
}

// engineState is the engine's last state.
type engineState struct {
	status enginehost.Status
	server *enginepb.Server
	models map[string]*enginepb.Model
}

// processFigures are measured once a second.
type processFigures struct {
	memory     uint64
	free       uint64
	cpuPercent float64
	perSecond  float64
	gpus       []*api.Gpu
	gpusRead   bool // else none is known yet
	gpusLost   []int32
	gpuTrouble string
	// noCUDA says why no program uses the GPUs.
	noCUDA    string
	gpuDriver string
}

// openRoots needs openMu.
func (w *Workspace) openRoots(roots []string) (*openRepository, error) {
	ctx, stop := context.WithCancel(context.Background())
	repo, err := repo.Open(ctx, roots, w.opts.Repository)
	if err != nil {
		stop()
		return nil, fmt.Errorf("open the repository: %w", err)
	}
	s := w.newOpen(ctx, stop, repo, roots)
	s.real = map[string]string{}
	for _, root := range roots {
		s.real[root] = folder.Name(overlay.RealRoot(root))
	}
	s.id = KeyOf(s.realRoots())
	s.recoverFiles()
	s.trouble = troubleOf(repo.Current())
	fresh := w.emptyWorld(hindrance{})
	var ignored change
	fresh.setOwnProblems(ownProblems(repo.Current()), &ignored)
	changed, _ := s.analysis.Changed(nil)
	s.refresh(&fresh, changed, &ignored)
	s.checking.add(changed)
	w.reset(s, fresh)
	return s, nil
}

// newOpen makes the state of folders in which nothing runs yet.
func (w *Workspace) newOpen(ctx context.Context, stop context.CancelFunc, repo *repo.Repository, roots []string) *openRepository {
	s := &openRepository{
		w: w, key: KeyOf(roots), roots: roots, repo: repo, ctx: ctx, stop: stop, vacant: make(chan struct{}),
		uses: map[string][]string{}, usedBy: map[string]map[string]bool{}, around: map[string]uint64{}, rates: map[string]float64{}, restoring: true, waiting: map[string]bool{}, failed: map[string]string{}, servedOn: map[string]int64{}, elsewhere: elsewhere{told: map[string]bool{}},
		access:  w.Access(ctx, roots),
		running: engineState{models: map[string]*enginepb.Model{}},
		local:   &side{},
	}
	s.side = s.local
	s.disk = language.New(repo.Current(), nil, language.Around{Answers: w.opts.Answers})
	s.analysis = s.disk
	s.checking.wake = make(chan struct{}, 1)
	s.arrivals = newArrivals()
	s.renewals = newRenewals()
	s.unloaded = make(chan struct{}, 1)
	return s
}

// run starts everything that runs while the repository is open.
func (s *openRepository) run() {
	s.wg.Go(s.followRepository)
	s.wg.Go(s.check)
	s.wg.Go(s.loadArrivals)
	if s.side == s.local {
		s.startLocal()
	}
}

// leaveFor is how long a closed repository waits for its engine, which has five seconds to end, and
// for readers of its files. It is a variable for tests.
var leaveFor = 6 * time.Second

// close ends what runs for the repository and waits for it. It does not wait for a disk that does not
// answer: readers that hang are left behind.
func (s *openRepository) close() {
	s.vacate()
	s.stop()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.await()
	}()
	select {
	case <-ended:
	case <-time.After(leaveFor):
		s.w.opts.Log.Warn("a repository is left while its files are read; its disk does not answer", "repository", s.id)
	}
	for _, root := range s.realRoots() {
		if err := s.w.keeper.Away(context.Background(), root); err != nil {
			s.w.opts.Log.Error("unsaved texts were not kept", "error", err)
		}
	}
	s.release() // only now: another workbench may read what was kept, and its engine may take the ports
}

// await waits until nothing runs for the repository any more.
func (s *openRepository) await() {
	s.closeSides()
	s.wg.Wait()
	s.repo.Close()
}

// apply handles a fact: note changes the repository under the lock and names the models that it
// concerns.
func (s *openRepository) apply(note func(c *change) (models []string)) {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	if s.w.open != s {
		return // another repository was opened meanwhile
	}
	var c change
	models := note(&c)
	s.refresh(&s.w.world, models, &c)
	s.w.commit(c)
}

// refresh makes new summaries of these models, of the repository and of the engine. It needs
// Workspace.mu.
func (s *openRepository) refresh(w *world, models []string, c *change) {
	for _, name := range models {
		m, ok := s.analysis.Model(name)
		if ok {
			w.setModel(name, s.summary(m, w), c)
		} else {
			w.setModel(name, s.servedSummary(name), c)
		}
	}
	w.setRepository(s.repository(w), c)
	w.setEngine(s.engineSummary(), c)
}

// followRepository handles every new scan.
func (s *openRepository) followRepository() {
	indexes, unsubscribe := s.repo.Subscribe()
	defer unsubscribe()
	for {
		select {
		case <-s.ctx.Done():
			return
		case index, ok := <-indexes:
			if !ok {
				return
			}
			s.follow(index)
		case <-s.unloaded:
			s.follow(s.repo.Current())
		case <-s.renewals.wake:
			s.renew()
		}
	}
}

func (s *openRepository) follow(index *scan.Index) { s.show(s.judge(index)) }

// judged is a scan in the form in which it is shown.
type judged struct {
	disk    *language.Analysis
	files   []*api.FileChange
	trouble hindrance
	away    map[string]string
	heard   uint64 // the count of the engine's events when it was judged
}

func (s *openRepository) judge(index *scan.Index) judged {
	s.w.mu.Lock()
	prev := s.disk // only this goroutine replaces it
	heard := s.heard
	s.w.mu.Unlock()
	index, away := holding(index, prev.Index, s.isLoaded)
	trouble := awayTrouble(index, away)
	if len(away) == 0 {
		trouble = troubleOf(index)
	}
	disk := language.New(index, prev, language.Around{
		Away: func(root string) bool { return away[root] != "" }, Answers: s.w.opts.Answers,
	})

	files := s.changedBetween(prev, disk) // it reads files, so no lock is held: edits are handled while the disk is slow
	return judged{disk: disk, files: files, trouble: trouble, away: away, heard: heard}
}

func (s *openRepository) show(j judged) {
	s.installMu.Lock()
	defer s.installMu.Unlock()
	s.install(j.disk, j.files, func() {
		s.trouble, s.away = j.trouble, j.away
		if s.heard != j.heard {
			s.judgeAgain()
		}
	})
}

// hear needs Workspace.mu. It notes an event of the engine about its models. What is shown of a
// repository that is away depends on these events.
func (s *openRepository) hear() {
	s.heard++
	s.judgeAgain()
}

// judgeAgain needs Workspace.mu.
func (s *openRepository) judgeAgain() {
	if len(s.away) == 0 {
		return
	}
	select {
	case s.unloaded <- struct{}{}:
	default:
	}
}

func (s *openRepository) currentAnalysis() *language.Analysis {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	return s.analysis
}

// noteAnalysis replaces the analysis, and queues what changed for a check, together with the ensembles
// that use it.
func (s *openRepository) noteAnalysis(next *language.Analysis, files []*api.FileChange, c *change) []string {
	prev := s.analysis
	s.analysis = next
	s.w.world.setOwnProblems(ownProblems(next.Index), c)
	changed, removed := next.Changed(prev)
	s.noteArrivals(prev, next, changed, c)
	c.files = append(c.files, files...)
	touched := append(changed, removed...)
	judged := s.withDependants(touched)
	s.checking.add(judged)
	for _, name := range judged {
		if !onlyTyped(name, prev, next) {
			s.around[name]++
			touched = append(touched, name)
		}
	}
	for _, name := range removed {
		touched = append(touched, s.setUses(name, nil)...)
		s.checking.forget(name)
		delete(s.rates, name)
		delete(s.around, name)
	}
	return touched
}

// onlyTyped reports whether only the unsaved text of a model changed. Its folder is the same, and
// equally reachable.
func onlyTyped(name string, prev, next *language.Analysis) bool {
	was, known := prev.Model(name)
	now, there := next.Model(name)
	return known && there && was != now && was.Saved() == now.Saved()
}

// withDependants adds the ensembles that use these models, directly or through other ensembles.
func (s *openRepository) withDependants(names []string) []string {
	seen := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		for user := range s.usedBy[name] {
			add(user)
		}
		for user, uses := range s.draftUses {
			if slices.Contains(uses, name) {
				add(user)
			}
		}
	}
	for _, name := range names {
		add(name)
	}
	return sortedKeys(seen)
}

// setUses notes which models an ensemble uses and returns those whose users changed.
func (s *openRepository) setUses(ensemble string, uses []string) (touched []string) {
	before := s.uses[ensemble]
	if slices.Equal(before, uses) {
		return nil
	}
	for _, name := range before {
		delete(s.usedBy[name], ensemble)
	}
	for _, name := range uses {
		if s.usedBy[name] == nil {
			s.usedBy[name] = map[string]bool{}
		}
		s.usedBy[name][ensemble] = true
	}
	s.uses[ensemble] = uses
	return append(slices.Clone(before), uses...)
}

// notice makes a notice and also stores it.
func (s *openRepository) notice(level api.Notice_Level, model, text string) *api.Notice {
	at := s.w.opts.Now()
	id := s.w.opts.Store.AddEvent(store.Event{Repository: s.side.historyKey(s.key), Time: at, Level: int(level), Model: model, Text: text})
	n := &api.Notice{Id: uint64(id), Time: at.UnixMilli(), Level: level, Model: model, Text: text}
	if model != "" {
		n.Cause = "model " + model
	}
	return n
}

// noticeOf makes a notice of what happened, and why. What is stored has both.
func (s *openRepository) noticeOf(level api.Notice_Level, model, text, reason string) *api.Notice {
	n := s.notice(level, model, because(text, reason))
	n.Reason = reason
	return n
}

// engineNotice makes a notice about the state of the engine.
func (s *openRepository) engineNotice(level api.Notice_Level, text string) *api.Notice {
	n := s.notice(level, "", text)
	n.Cause = "engine"
	return n
}

// Notify tells people something that does not concern a repository.
func (w *Workspace) Notify(level api.Notice_Level, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := ""
	if w.open != nil {
		key = w.open.key
	}
	at := w.opts.Now()
	id := w.opts.Store.AddEvent(store.Event{Repository: key, Time: at, Level: int(level), Text: text})
	w.commit(change{notices: []*api.Notice{{Id: uint64(id), Time: at.UnixMilli(), Level: level, Text: text}}})
}
