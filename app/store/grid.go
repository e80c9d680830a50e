package store

import "time"

// niceSteps are the steps that an answer may have, in seconds. People read them on a time axis.
var niceSteps = []int64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400}

// defaultPoints is the number of points where a query does not limit it; mostPoints limits every answer.
const (
	defaultPoints = 1000
	mostPoints    = 5000
)

// resolution picks the step of the answer, and the longest stored step that divides it.
func resolution(q Query, now time.Time) (stored, step int64) {
	length, asked := max(q.To.Unix()-q.From.Unix(), 1), int64(q.Step/time.Second)
	if asked <= 0 {
		asked = niceStep(length, int64(q.MaxPoints))
	}
	step = max(asked, niceStep(length, mostPoints))
	for _, t := range tiers {
		switch {
		case q.From.Before(now.Add(-t.keep)): // its rows are deleted there
		case stored == 0:
			stored, step = t.step, multiple(step, t.step)
		case step%t.step == 0:
			stored = t.step
		}
	}
	if stored == 0 {
		stored = stepHour
	}
	return stored, multiple(step, stored)
}

// niceStep returns the shortest nice step with which a length of time has no more points than most.
func niceStep(length, most int64) int64 {
	if most <= 0 {
		most = defaultPoints
	}
	each := (length + most - 1) / most
	for _, step := range niceSteps {
		if step >= each {
			return step
		}
	}
	return multiple(each, niceSteps[len(niceSteps)-1])
}

// multiple rounds n up to a multiple of unit.
func multiple(n, unit int64) int64 { return (n + unit - 1) / unit * unit }

func floor(t, step int64) int64 { return t / step * step }

// grid is the steps of an answer, and the step of the rows that it is made from.
type grid struct{ from, step, stored int64 }

// points puts rows on the grid. watched has the times that were watched; own has the counters asked
// for.
func (g grid) points(watched, own []row, gpus []gpuRows) []Point {
	if len(watched) == 0 {
		return nil
	}
	list := make([]Point, (watched[len(watched)-1].time-g.from)/g.step+1)
	for i := range list {
		list[i].Time = time.Unix(g.from+int64(i)*g.step, 0)
	}
	joined := g.addWatched(list, watched)
	g.addOwn(list, own)
	g.addGPUs(list, gpus)
	return withoutJoined(list, joined)
}

// addWatched adds what is known of the process. joined says which steps are covered by a row after them.
func (g grid) addWatched(list []Point, watched []row) (joined []bool) {
	joined = make([]bool, len(list))
	memory := make([]float64, len(list))
	for _, r := range watched {
		i := (r.time - g.from) / g.step
		g.join(joined[:i], r)
		p, e := &list[i], r.extents()
		covered := time.Duration(r.coveredMs) * time.Millisecond
		p.Covered += covered
		if r.memory == 0 {
			continue
		}
		if p.Measured == 0 {
			p.CPUExtent, p.MemoryExtent = e.cpu, e.memory
		}
		p.CPUExtent, p.MemoryExtent = p.CPUExtent.join(e.cpu), p.MemoryExtent.join(e.memory)
		p.Measured += covered
		p.CPU += time.Duration(r.cpuMs * float64(time.Millisecond))
		memory[i] += float64(r.memory) * float64(r.coveredMs)
	}
	for i := range list {
		if ms := list[i].Measured.Milliseconds(); ms > 0 {
			list[i].Memory = uint64(memory[i] / float64(ms))
		}
	}
	return joined
}

// addOwn adds the counters asked for. A watched second without a row of its own had no requests.
func (g grid) addOwn(list []Point, own []row) {
	busy := make([]int64, len(list)) // milliseconds with a row
	for _, r := range own {
		i := (r.time - g.from) / g.step
		if i >= int64(len(list)) {
			break
		}
		p, rate := &list[i], r.extents().rate
		if busy[i] == 0 {
			p.Rate = rate
		}
		p.Rate = p.Rate.join(rate)
		p.Counters = p.Counters.Plus(r.counters)
		busy[i] += r.coveredMs
	}
	for i := range list {
		if busy[i] < list[i].Covered.Milliseconds() {
			list[i].Rate.Low = 0
		}
	}
}

// addGPUs adds what the GPUs did.
func (g grid) addGPUs(list []Point, gpus []gpuRows) {
	for i := range list {
		list[i].GPUs = make([]GPUPoint, len(gpus))
	}
	for n, of := range gpus {
		for _, r := range of.rows {
			if i := (r.time - g.from) / g.step; i < int64(len(list)) && r.gpu != nil {
				list[i].GPUs[n] = list[i].GPUs[n].join(*r.gpu)
			}
		}
	}
}

// join marks the steps before a row that the row covers: the sample of a second that comes late covers
// the second before it too, so nothing is missing there.
func (g grid) join(before []bool, r row) {
	beginMs := (r.time+g.stored-1)*1000 - r.coveredMs
	for i := len(before) - 1; i >= 0 && beginMs < (g.from+int64(i)*g.step)*1000; i-- {
		before[i] = true
	}
}

// withoutJoined drops the steps that have no row of their own and are covered by a later one.
func withoutJoined(list []Point, joined []bool) []Point {
	kept := list[:0]
	for i, p := range list {
		if p.Covered > 0 || !joined[i] {
			kept = append(kept, p)
		}
	}
	return kept
}
