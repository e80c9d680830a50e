package control

import "fmt"

// Mode is --model-control-mode (docs/triton/loading.md, "Modes").
type Mode string

// The control modes.
const (
	None     Mode = "none"
	Poll     Mode = "poll"
	Explicit Mode = "explicit"
)

// ParseMode reads a flag's word; "" is Triton's default, none.
func ParseMode(word string) (Mode, error) {
	switch m := Mode(word); m {
	case None, Poll, Explicit:
		return m, nil
	case "":
		return None, nil
	}
	return "", fmt.Errorf("unknown model control mode %q: use none, poll or explicit", word)
}

// Reload is what happens in explicit mode when the files of a loaded model change.
type Reload string

// The ways to follow files.
const (
	Off    Reload = "off"     // as in Triton: only a load request reads the files
	OnSave Reload = "on-save" // reload as soon as the files are complete
	Ask    Reload = "ask"     // as Off, but the workbench asks whether to load
)

// ParseReload reads a flag's word; "" is off.
func ParseReload(word string) (Reload, error) {
	switch r := Reload(word); r {
	case Off, OnSave, Ask:
		return r, nil
	case "":
		return Off, nil
	}
	return "", fmt.Errorf("unknown reload policy %q: use on-save, ask or off", word)
}
