package workspace

import (
	"fmt"
	"slices"

	"conch/app/api"
)

// lostGPUs are the GPUs, by number, of which people were told that the driver has lost them.
type lostGPUs []int32

// next returns what people are told now: a sentence for each GPU that is lost and was not. One that is back may be told again.
func (l *lostGPUs) next(lost []int32) (texts []string) {
	for _, index := range lost {
		if !slices.Contains(*l, index) {
			texts = append(texts, fmt.Sprintf("GPU %d is lost: its driver cannot reach it. Restart the machine to get it back", index))
		}
	}
	*l = slices.Clone(lost)
	return texts
}

// noteLost keeps which GPUs the driver has lost, and makes a notice of each that is new on this machine. It needs Workspace.mu.
func (s *openRepository) noteLost(lost []int32, c *change) {
	s.process.gpusLost = lost
	if s.side.isRemote() || s.process.gpuTrouble != "" { // nothing is known of them now
		return
	}
	for _, text := range s.lost.next(lost) {
		c.notices = append(c.notices, s.notice(api.Notice_LEVEL_WARNING, "", text))
	}
}
