package desktop

import "encoding/json"

// The window's size at first, and the least it can be used at.
const (
	firstWidth, firstHeight = 1280, 800
	leastWidth, leastHeight = 1000, 640
)

// place is where a window was.
type place struct {
	X, Y          int
	Width, Height int
	Maximised     bool
}

// readPlace reads what was saved; ok is false when there is nothing of use.
func readPlace(text string) (p place, ok bool) {
	if json.Unmarshal([]byte(text), &p) != nil {
		return place{}, false
	}
	return p, p.Width >= leastWidth && p.Height >= leastHeight
}

func (p place) String() string {
	text, err := json.Marshal(p)
	if err != nil {
		return "" // four numbers and a bool
	}
	return string(text)
}
