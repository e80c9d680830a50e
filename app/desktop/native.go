//go:build desktop

package desktop

import (
	"context"
	"fmt"

	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// Native is what the page may ask of the window itself.
type Native struct{ ctx context.Context }

// PickFolder lets a person choose a folder; "" when they did not.
func (n *Native) PickFolder() (string, error) {
	path, err := runtime.OpenDirectoryDialog(n.ctx, runtime.OpenDialogOptions{Title: "Open a model repository"})
	if err != nil {
		return "", fmt.Errorf("choose a folder: %w", err)
	}
	return path, nil
}
