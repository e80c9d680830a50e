// Package bytesize writes numbers of bytes for people. Memory is in binary units, as NVIDIA's tools write it: a GPU of "80GB" has
// 80.0 GiB. So is what is held against memory. Files and downloads are in decimal units, as disks and package registries count
// them. The window writes memory in the same way (frontend/src/lib/format.ts).
package bytesize

import "fmt"

var (
	binary  = []string{"B", "KiB", "MiB", "GiB", "TiB"}
	decimal = []string{"B", "KB", "MB", "GB", "TB"}
)

// Memory is memory of a device, or what it is compared with: "1.5 GiB".
func Memory(bytes int64) string { return text(bytes, 1024, binary) }

// File is the size of files, downloaded or not: "247 MB".
func File(bytes int64) string { return text(bytes, 1000, decimal) }

func text(bytes int64, step float64, units []string) string {
	size, unit := float64(bytes), 0
	for size >= step-0.5 && unit < len(units)-1 {
		size, unit = size/step, unit+1
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
