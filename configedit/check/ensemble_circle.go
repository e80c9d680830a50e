package check

import (
	"slices"
	"strings"

	"conch/configedit/modelconfig"
	"conch/configedit/rule"
)

// ways holds how ensembles lead to each other, as far as they have been checked. Each ensemble is checked once, no matter
// how often it is asked for.
type ways struct {
	env    Env
	shared *shared
	known  map[string]*way
}

// way is the way from an ensemble along its first step that leads to a circle.
type way struct {
	name string
	next *way // nil where no step ends in a circle
	open bool // its steps are being checked
	// circle is where the way ends, at the place where it enters it, and far the number of steps before that. They are known
	// once settle was called.
	circle []*way
	at     int
	far    int
}

// circle returns the way of the ensemble into a circle of ensembles that contain each other, or nil.
func (c *ensemble) circle() *way {
	m, ok := c.env.Model(c.m.Name)
	seen := ok && m == c.m && c.shared.unlisted(m) == nil // else other ensembles do not see the model as it is here
	w := c.shared.ways
	if w == nil || !seen {
		w = &ways{env: c.env, shared: c.shared, known: map[string]*way{}}
	}
	if seen {
		c.shared.ways = w
	}
	from := w.from(c.m.Name, c.graph.steps)
	if from.next == nil {
		return nil
	}
	from.settle()
	return from
}

// from returns the way from an ensemble with these steps.
func (w *ways) from(name string, steps []*modelconfig.ModelEnsembling_Step) *way {
	if known := w.known[name]; known != nil {
		return known
	}
	here := &way{name: name, open: true}
	w.known[name] = here
	for _, step := range steps {
		if next := w.into(step.ModelName); next != nil && (next.open || next.next != nil) {
			here.next = next
			break
		}
	}
	here.open = false
	return here
}

// into returns the way from the model of a step. It returns nil if the model is not an ensemble or Triton does not list it.
func (w *ways) into(name string) *way {
	if known := w.known[name]; known != nil {
		return known
	}
	m, ok := w.env.Model(name)
	if !ok || m.Effective.GetEnsembleScheduling() == nil || w.shared.unlisted(m) != nil {
		return nil
	}
	return w.from(m.Name, m.Effective.GetEnsembleScheduling().Step)
}

// settle finds the circle in which the way ends, for it and for all on the way.
func (w *way) settle() {
	var path []*way
	place := map[*way]int{}
	for x := w; x.circle == nil; x = x.next {
		begin, twice := place[x]
		if !twice {
			place[x] = len(path)
			path = append(path, x)
			continue
		}
		for i, on := range path[begin:] {
			on.circle, on.at = path[begin:], i
		}
	}
	for _, x := range slices.Backward(path) {
		if x.circle == nil {
			x.circle, x.at, x.far = x.next.circle, x.next.at, x.next.far+1
		}
	}
}

// end is the model at which the way enters the circle, and before the one that leads back to it.
func (w *way) end() (before, last string) {
	n := len(w.circle)
	return w.circle[(w.at+n-1)%n].name, w.circle[w.at].name
}

// If the way is long, only its first models and the last two are named.
const (
	mostNamed  = 9
	firstNamed = 4
)

// String names the models on the way, up to the model that comes a second time.
func (w *way) String() string {
	count := w.far + len(w.circle) + 1
	begin := count
	if count > mostNamed {
		begin = firstNamed
	}
	var names []string
	for x := w; len(names) < begin; x = x.next {
		names = append(names, x.name)
	}
	if begin < count {
		before, last := w.end()
		names = append(names, say("(%d more)", count-begin-2), before, last)
	}
	return strings.Join(names, " -> ")
}

// inCircle: D2.
func (c *ensemble) inCircle(w *way) {
	step := slices.IndexFunc(c.graph.steps, func(s *modelconfig.ModelEnsembling_Step) bool { return s.ModelName == w.next.name })
	d := finding{
		rule: rule.D2, span: c.span(stepPath(step, "model_name")...), message: "ensembles contain each other: " + w.String(),
	}
	before, last := w.end()
	if w.far == 0 {
		d.args = values(w.name, before, last)
	} else {
		d.unsaid = true
		d.message += "; Triton crashes on this"
	}
	if w.next == w {
		d.message = "an ensemble cannot be a step of itself"
	}
	c.graph.note(step, d.message)
	c.report(d)
}
