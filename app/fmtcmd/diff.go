package fmtcmd

import (
	"fmt"
	"strings"

	"conch/app/visible"
)

// context is how many lines are shown around a change.
const context = 3

// line is a line of a diff: ' ' is in both texts, '-' in the old, '+' in the new one.
type line struct {
	sign byte
	text string
}

// diff writes how two texts differ, as diff -u does, for people: what is not safe in a terminal is escaped.
func diff(name, before, after string) string {
	lines := compare(split(before), split(after))
	var b strings.Builder
	fmt.Fprintf(&b, "--- %[1]s\n+++ %[1]s (formatted)\n", visible.Line(name))
	for start := 0; start < len(lines); {
		end := hunk(lines, &start)
		if end > start {
			writeHunk(&b, lines, start, end)
		}
		start = end
	}
	return b.String()
}

func split(s string) []string { return strings.SplitAfter(strings.TrimSuffix(s, "\n"), "\n") }

// maxTable bounds the work of comparing; larger texts are shown as replaced whole between what they share.
const maxTable = 16 << 20

// compare finds a longest common part, line by line.
func compare(a, b []string) []line {
	var head, tail []line
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head, a, b = append(head, line{' ', a[0]}), a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail, a, b = append([]line{{' ', a[len(a)-1]}}, tail...), a[:len(a)-1], b[:len(b)-1]
	}
	return append(append(head, between(a, b)...), tail...)
}

func between(a, b []string) []line {
	var out []line
	longest := func(int, int) int { return 0 }
	if (len(a)+1)*(len(b)+1) <= maxTable {
		longest = table(a, b)
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			out = append(out, line{' ', a[i]})
			i, j = i+1, j+1
		case longest(i+1, j) >= longest(i, j+1):
			out = append(out, line{'-', a[i]})
			i++
		default:
			out = append(out, line{'+', b[j]})
			j++
		}
	}
	for ; i < len(a); i++ {
		out = append(out, line{'-', a[i]})
	}
	for ; j < len(b); j++ {
		out = append(out, line{'+', b[j]})
	}
	return out
}

// table answers how many lines a from i and b from j have in common at most.
func table(a, b []string) func(i, j int) int {
	width := len(b) + 1
	cells := make([]int32, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				cells[i*width+j] = cells[(i+1)*width+j+1] + 1
			} else {
				cells[i*width+j] = max(cells[(i+1)*width+j], cells[i*width+j+1])
			}
		}
	}
	return func(i, j int) int { return int(cells[i*width+j]) }
}

// hunk moves start to the next change with its context, and answers where that ends.
func hunk(lines []line, start *int) int {
	at := *start
	for at < len(lines) && lines[at].sign == ' ' {
		at++
	}
	if at == len(lines) {
		return at
	}
	first, last := max(*start, at-context), at
	for i := at; i < len(lines) && i <= last+2*context; i++ {
		if lines[i].sign != ' ' {
			last = i
		}
	}
	*start = first
	return min(len(lines), last+context+1)
}

func writeHunk(b *strings.Builder, lines []line, start, end int) {
	changes := false
	for _, l := range lines[start:end] {
		changes = changes || l.sign != ' '
	}
	if !changes {
		return
	}
	count := func(part []line, without byte) int {
		n := 0
		for _, l := range part {
			if l.sign != without {
				n++
			}
		}
		return n
	}
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n", count(lines[:start], '+')+1, count(lines[start:end], '+'), count(lines[:start], '-')+1, count(lines[start:end], '-'))
	for _, l := range lines[start:end] {
		b.WriteByte(l.sign)
		b.WriteString(visible.Source(strings.TrimSuffix(l.text, "\n")))
		b.WriteByte('\n')
	}
}
