package unblocking

import "testing"

// The processor is given away when half of the busy readers have been served, and after 16 at the latest.
func TestRounds(t *testing.T) {
	t.Parallel()
	for readers, every := range map[int]int{1: 1, 2: 1, 3: 2, 8: 4, 32: 16, 128: 16} {
		var r Rounds
		turns, given := make([]Turn, readers), 0
		for i := range 100 * readers {
			if over := r.Over(&turns[i%readers]); over && i >= 4*readers {
				given++
			}
		}
		if want := 96 * readers / every; given != want {
			t.Errorf("%d readers: given away %d times, want %d", readers, given, want)
		}
	}
}
