//go:build !linux

package watch

import (
	"fmt"
	"strings"
)

// remote recognises Windows' network paths; other systems are not asked.
func remote(roots []string) string {
	for _, root := range roots {
		if strings.HasPrefix(root, `\\`) {
			return fmt.Sprintf("%s is a network drive, which does not report every change made elsewhere", root)
		}
	}
	return ""
}

// limitWords says to a person why fsnotify was given up.
func limitWords(err error) string {
	return fmt.Sprintf("the system does not report changes here: %v", err)
}
