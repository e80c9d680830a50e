package fmtcmd

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"conch/app/visible"
)

// diff writes how two texts differ, as diff -u does, for people. What is not safe in a terminal is
// escaped.
func diff(name, before, after string) (string, error) {
	name = visible.Line(name)
	text, err := udiff.ToUnified(name, name+" (formatted)", before, udiff.Lines(before, after), udiff.DefaultContextLines)
	if err != nil {
		return "", fmt.Errorf("compare %s with its layout: %w", name, err)
	}
	head, hunks, _ := strings.Cut(text, "\n@@")
	var b strings.Builder
	b.WriteString(head + "\n")
	for line := range strings.Lines("@@" + hunks) {
		b.WriteString(line[:1] + visible.Source(strings.TrimSuffix(line[1:], "\n")) + "\n")
	}
	return b.String(), nil
}
