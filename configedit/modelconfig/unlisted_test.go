package modelconfig_test

import (
	"fmt"
	"strings"
	"testing"

	"conch/configedit/modelconfig"
	"conch/configedit/text"
)

// Of many mistakes a hundred are listed, and the last one says how many others there are.
func TestMistakesThatAreNotListed(t *testing.T) {
	for count, want := range map[int]int{100: 0, 102: 2, 2000: 1900} {
		var config strings.Builder
		for i := range count / 2 {
			fmt.Fprintf(&config, "foo_%d: 0\nmax_batch_size: \"%d\"\n", i, i)
		}
		doc, _ := text.Parse(text.NewFile("config.pbtxt", []byte(config.String())))
		_, list := modelconfig.Decode(doc)
		last := list[len(list)-1]
		said := strings.HasSuffix(last.Message, fmt.Sprintf("; %d more mistakes of this file are not listed", want))
		if len(list) != 100 || last.Unlisted != want || said != (want > 0) {
			t.Errorf("%d mistakes: %d are listed, the last says %q and %d", count, len(list), last.Message, last.Unlisted)
		}
	}
}
