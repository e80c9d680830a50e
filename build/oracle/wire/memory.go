package wire

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"conch/build/golden/exchange"
)

// inMemory does what a case does with shared memory of its own, which servers on this machine can open:
//
//	memory make KEY SIZE           an object of zeros
//	memory write KEY OFFSET BYTES  in the form of a body
//	memory read KEY OFFSET LENGTH
//	memory remove KEY
func inMemory(step string) (string, error) {
	verb, rest, _ := strings.Cut(strings.TrimSuffix(step, "\n"), " ")
	key, rest, _ := strings.Cut(rest, " ")
	path := filepath.Join("/dev/shm", filepath.Base(key))
	switch verb {
	case "make":
		var size int
		if _, err := fmt.Sscan(rest, &size); err != nil {
			return "", fmt.Errorf("read the size of the memory: %w", err)
		}
		return "", os.WriteFile(path, make([]byte, size), 0o600)
	case "remove":
		return "", os.Remove(path)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return "", fmt.Errorf("open the memory: %w", err)
	}
	defer func() { _ = file.Close() }()
	offset, text, _ := strings.Cut(rest, " ")
	var at int64
	if _, err := fmt.Sscan(offset, &at); err != nil {
		return "", fmt.Errorf("read the place in the memory: %w", err)
	}
	switch verb {
	case "write":
		_, err := file.WriteAt(exchange.Unescape(text), at)
		return "", err
	case "read":
		var length int
		if _, err := fmt.Sscan(text, &length); err != nil {
			return "", fmt.Errorf("read the length: %w", err)
		}
		content := make([]byte, length)
		_, err := file.ReadAt(content, at)
		return exchange.Escape(content) + "\n", err
	}
	return "", fmt.Errorf("memory has no step %q", verb)
}
