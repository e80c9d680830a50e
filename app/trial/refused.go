package trial

import (
	"fmt"
	"strings"
)

// LibraryError is an ErrFailed whose reason a library told in words that are for its makers.
type LibraryError struct {
	Text  string // for people: what is wrong, and what can be done
	Words string // the library's
}

func (e *LibraryError) Error() string { return e.Text }

func (e *LibraryError) Unwrap() error { return ErrFailed }

// noAdapter is what ONNX Runtime says of an adapter, or of a device behind it, that WebGPU does not get.
const noAdapter = "Failed to get a WebGPU "

// refused says why the model was not loaded.
func (o Order) refused(why string) error {
	if !strings.Contains(why, noAdapter) {
		return fmt.Errorf("%w with %s: %s", ErrFailed, o.Provider.Label, why)
	}
	return &LibraryError{
		Text: fmt.Sprintf("%s was not loaded with %s, which found no graphics adapter that it can use on this machine. "+
			"It needs a GPU and its graphics driver, on Linux one with Vulkan. Install the driver, or choose another provider",
			o.Config.Name, o.Provider.Label),
		Words: why,
	}
}
