package refusals_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"conch/engine/kserve/refusals"
)

func refusal(model, reason string) refusals.Refusal {
	return refusals.Refusal{
		Port: "HTTP", Method: "POST", Path: "/v2/models/" + model + "/infer", Model: model, Status: "400 Bad Request",
		Reason: reason, Client: "127.0.0.1:4000",
	}
}

// A client that sends the same again and again makes one group, whose newest requests are kept one by one.
func TestEqualRequestsAreOneGroup(t *testing.T) {
	var log refusals.Log
	at := time.UnixMilli(1000)
	log.Now = func() time.Time { return at }
	reader := log.Read()
	for i := range 1209 {
		r := refusal("m", "unexpected shape")
		r.ID = fmt.Sprint("r", i)
		log.Add(r)
		at = at.Add(time.Second)
	}
	log.Add(refusal("other", "unexpected shape"))
	c := reader.Next()
	if len(c.Groups) != 2 || c.Groups[1].Model != "other" {
		t.Fatalf("groups = %+v", c.Groups)
	}
	g := c.Groups[0]
	if g.Count != 1209 || len(g.Newest) != 5 || g.Newest[0].ID != "r1208" || g.Newest[4].ID != "r1204" || !g.First.Equal(time.UnixMilli(1000)) {
		t.Errorf("group = %+v", g)
	}
	if c := reader.Next(); c.Groups != nil || c.Removed != nil {
		t.Errorf("nothing has changed, but the reader gets %+v", c)
	}
}

// Triton's reasons begin with the ID of the request: those of requests with different IDs are equal nevertheless.
func TestIDsDoNotSplitGroups(t *testing.T) {
	var log refusals.Log
	for _, id := range []string{"8f0c", "77ab", ""} {
		prefix := id
		if id == "" {
			prefix = "<id_unknown>"
		}
		r := refusal("m", "[request id: "+prefix+"] unexpected shape")
		r.ID = id
		log.Add(r)
	}
	if c := log.Read().Next(); len(c.Groups) != 1 || c.Groups[0].Count != 3 || c.Groups[0].Reason != "unexpected shape" {
		t.Errorf("groups = %+v", c.Groups)
	}
}

// A client that asks for one unknown model after another pushes out its own requests, and nobody else's.
func TestAFloodPushesOutItsOwnKind(t *testing.T) {
	var log refusals.Log
	log.Add(refusal("m", "the one that a person looks for"))
	reader := log.Read()
	for i := range 5000 {
		name := fmt.Sprintf("guess%d", i)
		log.Add(refusal(name, "Request for unknown model: '"+name+"' is not found"))
	}
	c := reader.Next()
	if len(c.Groups) != 21 || c.Groups[0].Reason != "the one that a person looks for" {
		t.Fatalf("%d groups, the first is %+v", len(c.Groups), c.Groups[0])
	}
	if last := c.Groups[20]; last.Model != "guess4999" || last.Alike != 4980 || c.Groups[19].Alike != 0 {
		t.Errorf("the last group is %+v", last)
	}
	log.Add(refusal("late", "Request for unknown model: 'late' is not found"))
	c = reader.Next()
	if len(c.Groups) != 2 || c.Groups[0].Alike != 0 || c.Groups[1].Alike != 4981 || len(c.Removed) != 1 {
		t.Errorf("changes = %+v", c)
	}
}

// Nor do names with quotes, or names that the reason does not quote, make kinds of their own.
func TestNamesMakeNoKinds(t *testing.T) {
	var log refusals.Log
	log.Add(refusal("m", "the one that a person looks for"))
	for i := range 5000 {
		name := fmt.Sprintf("x'%c%c%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/676)
		log.Add(refusal(name, "Request for unknown model: '"+name+"' is not found"))
		log.Add(refusal(name, "unknown service "+name))
	}
	if c := log.Read().Next(); len(c.Groups) != 41 || c.Groups[0].Reason != "the one that a person looks for" {
		t.Errorf("%d groups after quotes and unquoted names, the first is %+v", len(c.Groups), c.Groups[0])
	}
}

// What a log holds is bounded, whatever clients send.
func TestALogIsBounded(t *testing.T) {
	var log refusals.Log
	for i := range 2000 {
		word := strings.Repeat("x", i) // another kind each time: it is not quoted
		r := refusal(word, word+strings.Repeat("\x00", 1<<16))
		r.ID, r.Client, r.Version, r.Method = r.Reason, r.Reason, r.Reason, r.Reason
		log.Add(r)
	}
	c := log.Read().Next()
	size, count := 0, c.Forgotten
	for _, g := range c.Groups {
		count += g.Count + g.Alike
		size += len(g.Method) + len(g.Path) + len(g.Model) + len(g.Version) + len(g.Reason)
		for _, r := range g.Newest {
			size += len(r.Client) + len(r.ID)
		}
	}
	if len(c.Groups) != 100 || size > 2<<20 {
		t.Errorf("%d groups hold %d bytes", len(c.Groups), size)
	}
	if count != 2000 {
		t.Errorf("%d requests are counted", count)
	}
}

// Texts of clients are safe to show, and end with a whole character.
func TestTextsAreSafe(t *testing.T) {
	for text, want := range map[string]string{
		"plain 北京 <img>":               "plain 北京 <img>",
		"\x1b[2J\n\u202eabc\u200b":     `\u001b[2J\u000a\u202eabc\u200b`,
		"\xff\xfe":                     `\xff\xfe`,
		"a\uFFFDb":                     "a\uFFFDb",
		strings.Repeat("x", 255) + "é": strings.Repeat("x", 255) + "…",
		strings.Repeat("x", 254) + "é": strings.Repeat("x", 254) + "é",
		strings.Repeat("x", 252) + "😀": strings.Repeat("x", 252) + "😀",
		strings.Repeat("x", 253) + "😀": strings.Repeat("x", 253) + "…",
	} {
		var log refusals.Log
		log.Add(refusal(text, "no"))
		got := log.Read().Next().Groups[0].Model
		if got != want || !utf8.ValidString(got) {
			t.Errorf("%q is kept as %q, want %q", text, got, want)
		}
	}
}

// A reader is woken by the next refusal, and a context ends its waiting.
func TestWait(t *testing.T) {
	var log refusals.Log
	reader := log.Read()
	ctx, cancel := context.WithCancel(t.Context())
	woken := make(chan error)
	go func() { woken <- reader.Wait(ctx) }()
	log.Add(refusal("m", "no"))
	if err := <-woken; err != nil || len(reader.Next().Groups) != 1 {
		t.Errorf("the reader was not woken: %v", err)
	}
	go func() { woken <- reader.Wait(ctx) }()
	cancel()
	if err := <-woken; err == nil {
		t.Error("the end of the context did not end the waiting")
	}
}

// A port that keeps no refusals has a nil log.
func TestNilLog(t *testing.T) {
	var log *refusals.Log
	log.Add(refusal("m", "no"))
}

// What a refusal costs in a flood of equal ones, and of ones that differ.
func BenchmarkAdd(b *testing.B) {
	b.Run("equal", func(b *testing.B) {
		var log refusals.Log
		for b.Loop() {
			log.Add(refusal("m", "unexpected shape for input 'IN' for model 'm'. Expected [-1,2], got [3]"))
		}
	})
	b.Run("different", func(b *testing.B) {
		var log refusals.Log
		i := 0
		for b.Loop() {
			i++
			name := fmt.Sprint("guess", i)
			log.Add(refusal(name, "Request for unknown model: '"+name+"' is not found"))
		}
	})
}
