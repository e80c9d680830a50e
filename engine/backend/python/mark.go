package python

import (
	"math/rand/v2"
	"strconv"
)

// mark is a number that a process of a model and all that it starts have in common (strays_linux.go).
type mark uint64

// marksOfEngine is how many marks an engine has: so many processes of models it can tell apart at one time.
const marksOfEngine = 1_000_000

// newMark returns the first mark of an engine. All marks have 18 digits: none is a limit that a person sets.
func newMark() mark { return mark(100_000_000_000+rand.Uint64N(900_000_000_000)) * marksOfEngine }

func (m mark) String() string { return strconv.FormatUint(uint64(m), 10) }
