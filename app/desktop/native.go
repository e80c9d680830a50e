//go:build desktop

package desktop

import (
	"context"
	"fmt"

	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// Native has the methods that the page may call on the window itself.
type Native struct {
	ctx   context.Context
	drops *dropped
	alone *alone
}

// Dropped returns the files of other programs that were just dropped on the window; none when there are none.
func (n *Native) Dropped() []DroppedFile { return n.drops.newest() }

// PickFolder lets a person choose a folder in a dialog with a title. It returns "" when the person cancels.
func (n *Native) PickFolder(title string) (string, error) {
	path, err := runtime.OpenDirectoryDialog(n.ctx, runtime.OpenDialogOptions{Title: title})
	if err != nil {
		return "", fmt.Errorf("choose a folder: %w", err)
	}
	return path, nil
}

// SetZoom shows the page in so many percent of its normal size. Other sizes than those that the page
// offers are refused.
func (n *Native) SetZoom(percent int) error {
	if err := checkZoom(percent); err != nil {
		return err
	}
	zoom(percent)
	return nil
}

// RestCaret stops the blinking of the web view's own caret, or lets it blink again. The page calls it where it draws
// another caret and nobody types.
func (n *Native) RestCaret(rests bool) { restCaret(rests) }

// SetAlone is told each time which files have unsaved texts that the page alone has. The window asks before it closes then.
func (n *Native) SetAlone(files []string) { n.alone.set(files) }
