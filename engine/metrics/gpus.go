package metrics

import "sync"

// gpus are the counters of what ran on GPUs whose series have a label, by their UUIDs (docs/triton/metrics.md, "Labels").
type gpus struct {
	of sync.Map // string -> *Counters
}

// On returns the counters for what runs on a GPU with a UUID; c itself for "". What they count is a part of what c counts.
func (c *Counters) On(uuid string) *Counters {
	if uuid == "" {
		return c
	}
	if found, is := c.gpus.of.Load(uuid); is {
		return found.(*Counters)
	}
	made, _ := c.gpus.of.LoadOrStore(uuid, New())
	return made.(*Counters)
}

func (g *gpus) each(do func(uuid string, c *Counters)) {
	g.of.Range(func(uuid, c any) bool {
		do(uuid.(string), c.(*Counters))
		return true
	})
}

// Split is a Snapshot in parts that have series of their own on the metrics page.
type Split struct {
	Rest Snapshot            // what has no GPU of its own
	On   map[string]Snapshot // by the UUID of a GPU; nil without any
}

// add adds the numbers of a GPU to those that are there.
func (s *Split) add(uuid string, more Snapshot) {
	if s.On == nil {
		s.On = map[string]Snapshot{}
	}
	there, is := s.On[uuid]
	if !is {
		s.On[uuid] = more
		return
	}
	s.On[uuid] = there.plus(more)
}

// plus adds other numbers, part by part.
func (s *Split) plus(past Split) {
	s.Rest = s.Rest.plus(past.Rest)
	for uuid, more := range past.On {
		s.add(uuid, more)
	}
}

// Split returns Snapshot in parts.
func (c *Counters) Split() Split { return c.split((*Counters).alone) }

// split returns what read tells of these counters, of those of the GPUs and of the warm-up runs.
func (c *Counters) split(read func(*Counters) Snapshot) Split {
	s := Split{Rest: read(c)}
	c.gpus.each(func(uuid string, part *Counters) { s.add(uuid, read(part)) })
	if warm := c.warm.Load(); warm != nil {
		s.plus(warm.split(read))
	}
	return s
}
