package store

// Extent is the lowest and the highest of several values: what a mean hides.
type Extent struct{ Low, High float64 }

// untold is the extent of a row that has only its mean.
var untold = Extent{-1, -1}

func (e Extent) join(o Extent) Extent {
	return Extent{min(e.Low, o.Low), max(e.High, o.High)}
}

// extents are those of one row.
type extents struct {
	rate   Extent // requests per second, failed ones too
	cpu    Extent // processor seconds for each second
	memory Extent // bytes
}

var noExtents = extents{untold, untold, untold}

// extents returns a row's extents. Its means are the extents where it has no others.
func (r row) extents() extents {
	if r.spread.rate != untold {
		return r.spread
	}
	seconds := max(float64(r.coveredMs), 1) / 1000
	rate := float64(r.counters.Requests+r.counters.Failures) / seconds
	cpu := r.cpuMs / 1000 / seconds
	memory := float64(r.memory)
	return extents{Extent{rate, rate}, Extent{cpu, cpu}, Extent{memory, memory}}
}

func (e extents) join(o extents) extents {
	return extents{e.rate.join(o.rate), e.cpu.join(o.cpu), e.memory.join(o.memory)}
}
