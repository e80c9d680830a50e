package workspace

import (
	"fmt"
	"slices"
	"strings"

	"conch/app/api"
	"conch/engine/gpulost"
)

// gpusCause is of notices of GPUs that are lost, and back.
const gpusCause = "gpus"

// lostGPUs are the GPUs, by number, of which people were told that the driver has lost them.
type lostGPUs struct {
	numbers []int32
	counted int // GPUs that the driver counted then, with the lost ones
}

// next returns those that are lost and were not, and those that were and are not. One that is back may be told again.
func (l *lostGPUs) next(lost []int32) (fresh, over []int32) {
	without := func(list, others []int32) []int32 {
		return slices.DeleteFunc(slices.Clone(list), func(index int32) bool { return slices.Contains(others, index) })
	}
	fresh, over = without(lost, l.numbers), without(l.numbers, lost)
	l.numbers = slices.Clone(lost)
	return fresh, over
}

// noteLost keeps which GPUs the driver has lost, and makes a notice of those that are new on this machine, and of those that are back. It needs Workspace.mu.
func (s *openRepository) noteLost(lost []int32, c *change) {
	s.process.gpusLost = lost
	if s.side.isRemote() || s.process.gpuTrouble != "" || !s.process.gpusRead { // nothing is known of them now
		return
	}
	var there []int32
	for _, g := range s.process.gpus {
		there = append(there, g.Index)
	}
	before := s.lost.counted
	s.lost.counted = len(there) + len(lost)
	fresh, over := s.lost.next(lost)
	tell := func(level api.Notice_Level, text string) {
		n := s.notice(level, "", text)
		n.Cause = gpusCause
		c.notices = append(c.notices, n)
	}
	if len(over) > 0 {
		tell(api.Notice_LEVEL_INFO, overText(over, s.lost.counted >= before))
	}
	if len(fresh) > 0 {
		tell(api.Notice_LEVEL_WARNING, gpulost.Text(fresh, there))
	}
}

// overText says of GPUs that were lost that the driver reaches them again, or does not count them any more.
func overText(numbers []int32, back bool) string {
	names := make([]string, len(numbers))
	for i, number := range numbers {
		names[i] = fmt.Sprintf("GPU %d", number)
	}
	who := strings.Join(names, ", ")
	if !back {
		return "The driver does not count " + who + " any more, which it had lost"
	}
	return "The driver reaches " + who + " again. If requests to models there still fail, restart the engine"
}
