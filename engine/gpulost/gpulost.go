// Package gpulost says that the driver has lost GPUs, in the words that the engine and the workbench share.
package gpulost

import (
	"fmt"
	"slices"
	"strings"
)

// Text says that the driver has lost the GPUs with these numbers, and what to do; "" for none. There are the numbers of the GPUs that are left: one of them
// may have moved up to the number of a lost one. Then each lost one is named as such, as in Devices.
func Text[N int | int32](numbers []N, there []N) string {
	if len(numbers) == 0 {
		return ""
	}
	moved := slices.ContainsFunc(numbers, func(number N) bool { return slices.Contains(there, number) })
	names := make([]string, len(numbers))
	for i, number := range numbers {
		names[i] = fmt.Sprintf("GPU %d", number)
		if moved {
			names[i] += " (lost)"
		}
	}
	who, are, it, its := strings.Join(names, ", "), " is lost", "it", "its"
	if len(names) > 1 {
		are, it, its = " are lost", "them", "their"
	}
	if moved {
		are = ""
	}
	text := fmt.Sprintf("%s%s: %s driver cannot reach %s. Restart the machine to get %s back", who, are, its, it, it)
	if moved {
		text += ". Those behind " + it + " have moved up by a number until then"
	}
	return text
}
