package desktop

import "fmt"

// The sizes in which the page can be shown, in percent; frontend/src/window/settings.ts has its steps.
const leastZoom, mostZoom = 80, 200

// checkZoom refuses a size in which the window could not be used.
func checkZoom(percent int) error {
	if percent < leastZoom || percent > mostZoom {
		return fmt.Errorf("the page is shown in %d to %d %% of its size, not in %d %%", leastZoom, mostZoom, percent)
	}
	return nil
}
