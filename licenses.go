package main

import (
	"fmt"
	"io"
	"os"

	"conch/app/about"
)

// licensesCommand is `conch licenses`.
type licensesCommand struct{}

// Run prints the licences of all that the program contains.
func (licensesCommand) Run() error {
	notices, err := about.Notices()
	if err != nil {
		return err
	}
	_, err = io.WriteString(os.Stdout, fmt.Sprintf("Conch %s is under the licence %s.\n\n", about.Full(), about.License)+notices)
	return err
}
