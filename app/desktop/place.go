package desktop

import "encoding/json"

// The window's first size, and the smallest size at which it can be used.
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

// readPlace reads what was saved. ok is false when that cannot be used.
func readPlace(text string) (p place, ok bool) {
	if json.Unmarshal([]byte(text), &p) != nil {
		return place{}, false
	}
	return p, p.Width >= leastWidth && p.Height >= leastHeight
}

func (p place) String() string {
	text, err := json.Marshal(p)
	if err != nil {
		return "" // cannot fail: four numbers and a bool
	}
	return string(text)
}
