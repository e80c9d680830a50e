package handover

import (
	"strings"

	"conch/app/snippet"
)

// commandLine writes a script of one command.
func (p *plan) commandLine() []File {
	words := p.command("")
	for i, word := range words {
		words[i] = quoted(word)
	}
	text := "#!/bin/sh\n# Serves the repository with the tritonserver of release " + p.opts.Flags.Release.Name + ".\nexec " + strings.Join(words, " \\\n  ") + "\n"
	return []File{{Name: "tritonserver.sh", Text: text, Program: true}}
}

// quoted makes one word of a shell's command line from any text. A word of plain characters stays readable.
func quoted(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,+@"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return snippet.Quote(word)
}
