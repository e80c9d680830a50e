//go:build desktop

package desktop

import (
	goruntime "runtime"

	"github.com/wailsapp/wails/v2/pkg/menu"
	"github.com/wailsapp/wails/v2/pkg/menu/keys"
	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// menu returns the window's menu where the system expects one. Elsewhere the page has its own palette
// and no menu bar is shown. Keys such as Ctrl K and Ctrl S stay with the page.
func (w *window) menu() *menu.Menu {
	if goruntime.GOOS != "darwin" {
		return nil
	}
	bar := menu.NewMenu()
	bar.Append(menu.AppMenu())
	file := bar.AddSubmenu("File")
	file.AddText("Open repository…", keys.CmdOrCtrl("o"), func(*menu.CallbackData) {
		runtime.EventsEmit(w.native.ctx, "open-repository")
	})
	bar.Append(menu.EditMenu())
	bar.Append(menu.WindowMenu())
	return bar
}
