package snippet

import "fmt"

// sequenceNote is a comment on the place of a request in its sequence; "" where it is in none. A model with sequences takes
// no other first request than one with sequence_start (docs/triton/sequences.md, "What is refused").
func sequenceNote(r Request) string {
	id := string(r.Parameters["sequence_id"])
	says := func(name string) bool { return string(r.Parameters[name]) == "true" }
	switch start, end := says("sequence_start"), says("sequence_end"); {
	case id == "" || id == "0":
		return ""
	case start && end:
		return fmt.Sprintf("# This request is the whole sequence %s. In a longer one only the first has sequence_start, and only the last sequence_end.\n", id)
	case start:
		return fmt.Sprintf("# This request begins the sequence %s. The next ones go without sequence_start, and the last one has sequence_end.\n", id)
	}
	return fmt.Sprintf("# This request goes on in the sequence %s: the first one had sequence_start.\n", id)
}
