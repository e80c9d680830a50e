// Command rulebook writes docs/rules.md, the explanation of every rule, to its standard output.
package main

import (
	"fmt"
	"os"

	"conch/configedit/explain"
)

func main() {
	if _, err := fmt.Print(explain.Document()); err != nil {
		fmt.Fprintf(os.Stderr, "rulebook: %v\n", err)
		os.Exit(1)
	}
}
