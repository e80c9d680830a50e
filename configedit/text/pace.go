package text

// pace is how carefully a search reads. The sound parts of a file need no assumptions: one plain reading goes on until
// something is wrong. Then the search goes back to where the trouble can have begun, and follows many readings from there
// until one of them has gone on for a while without new costs.
type pace struct {
	// plain means that there is only one reading, which makes no more assumptions.
	plain bool
	// safe are the last two places outside of all brackets, the later one last.
	safe [2]place
	// calm is how many tokens the best reading has read without new costs, and least what it costs.
	calm, least int
}

// place is a reading before the token at an index.
type place struct {
	at      int
	reading reading
	known   bool
}

// calmEnough is for how many tokens the best reading has to go on without new costs.
const calmEnough = 24

// readPlainly takes a token into the only reading; false where something is wrong, after the search has gone back and
// has read up to the token.
func (s *search) readPlainly(i int) bool {
	r := s.readings[0]
	if atRoot(r) && s.words[i].symbol == 0 {
		s.remember(place{i, r, true})
	}
	before := r.cost
	s.work++
	if s.consume(&r, i) && r.cost < before+costType {
		s.readings[0] = r
		return true
	}
	s.goBack(i)
	return false
}

func atRoot(r reading) bool { return r.top.closer == 0 && (r.state == atName || r.state == afterValue) }

func (s *search) remember(p place) { s.safe[0], s.safe[1] = s.safe[1], p }

// goBack reads the tokens before an index again, and carefully, from the earlier of the two safe places on.
func (s *search) goBack(i int) {
	s.plain, s.calm = false, 0
	from := s.safe[0]
	if !from.known {
		from = s.safe[1]
	}
	if !from.known {
		return
	}
	s.readings = append(s.readings[:0], from.reading)
	for k := from.at; k < i; k++ {
		s.readCarefully(k)
	}
	s.least = s.readings[0].cost
}

// settle goes on plainly when the best reading is outside of all brackets and has had no new costs for a while, and all
// others have assumed more.
func (s *search) settle(i int) {
	best := s.readings[0]
	if best.cost > s.least {
		s.calm, s.least = 0, best.cost
	}
	s.calm++
	if s.calm < calmEnough || !atRoot(best) || len(s.readings) > 1 && s.readings[1].cost < best.cost+costMissing-costLayout {
		return
	}
	s.readings, s.plain = s.readings[:1], true
	s.safe = [2]place{1: {i + 1, best, true}}
}
