package runtimecmd

import "testing"

// The window names its own ways for what a command line is told to do.
func TestWaysOfTheWindow(t *testing.T) {
	for said, want := range map[string]string{
		"Remove it first with `conch runtime remove mine-1.30.0`, or give the new one another name, as in `conch runtime install NAME --from …`": "Remove it first with Remove… in its row, or give the new one another name, in the field beside its folder",
		"get it once more, or take another build, as `conch runtime list` shows them":                                                            "get it once more, or take another build, of this list",
		"mine is not installed; `conch runtime list` shows what is":                                                                              "mine is not installed; this list shows what is",
		"Choose another one: in ONNX Runtime… in the menu of the engine, or with `conch runtime use bundled`":                                    "Choose another one: in ONNX Runtime… in the menu of the engine",
		"take another build: ONNX Runtime… in the menu of the engine, or `conch runtime list`, shows them":                                       "take another build: ONNX Runtime… in the menu of the engine shows them",
		"Or download the wheel elsewhere, and install it from there: `conch runtime install --from FILE`":                                        "Or download the wheel elsewhere, and install it under “To install from a folder”",
		"`conch runtime install openvino` takes another package, which works":                                                                    "Install in the row of openvino takes another package, which works",
		"see `conch runtime probe`":                                "see ONNX Runtime… in the menu of the engine",
		"start Conch with: LD_LIBRARY_PATH=/opt/conch runtime/lib": "start Conch with: LD_LIBRARY_PATH=/opt/conch runtime/lib",
	} {
		if got := inWindow(said); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
