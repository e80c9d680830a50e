// Package gpulost says that the driver has lost GPUs, in the words that the engine and the workbench share.
package gpulost

import (
	"fmt"
	"strings"
)

// Text says that the driver has lost the GPUs with these numbers, and what to do; "" for none.
func Text[N int | int32](numbers []N) string {
	if len(numbers) == 0 {
		return ""
	}
	names, are := make([]string, len(numbers)), "is lost: its driver cannot reach it. Restart the machine to get it back"
	for i, number := range numbers {
		names[i] = fmt.Sprintf("GPU %d", number)
	}
	if len(names) > 1 {
		are = "are lost: their driver cannot reach them. Restart the machine to get them back"
	}
	return strings.Join(names, ", ") + " " + are
}
