// Package bytesize writes numbers of bytes for people, all in binary units, as NVIDIA's tools do: a GPU of "80GB" has 80.0 GiB, and
// the file of a model can be held against the memory that it takes. The window writes them in the same way
// (frontend/src/lib/format.ts).
package bytesize

import "fmt"

var units = []string{"B", "KiB", "MiB", "GiB", "TiB"}

// Text is the size of memory, of a file or of a download: "1.5 GiB".
func Text(bytes int64) string {
	size, unit := float64(bytes), 0
	for size >= 1023.5 && unit < len(units)-1 {
		size, unit = size/1024, unit+1
	}
	if unit == 0 {
		return fmt.Sprintf("%d %s", bytes, units[0])
	}
	decimals := 1
	if size >= 99.95 {
		decimals = 0
	}
	return fmt.Sprintf("%.*f %s", decimals, size, units[unit])
}
