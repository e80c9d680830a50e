package workspace

import (
	"testing"

	"conch/app/api"
	"conch/engine/kserve/enginepb"
)

// TestDescribe: what happened to a model is reported apart from its reason, and at a higher level where
// nobody asked for it.
func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		happening *enginepb.Happening
		level     api.Notice_Level
		text, why string
	}{
		{&enginepb.Happening{Kind: enginepb.Happening_KIND_LOADED, TookNs: 12_000_000}, api.Notice_LEVEL_INFO, "m loaded in 12.0 ms", ""},
		{&enginepb.Happening{Kind: enginepb.Happening_KIND_RELOADED, TookNs: 3_000_000}, api.Notice_LEVEL_INFO, "m reloaded in 3.00 ms", ""},
		{&enginepb.Happening{Kind: enginepb.Happening_KIND_RELOADED, TookNs: 3_000_000, Reason: "a comment"}, api.Notice_LEVEL_INFO, "m: a comment", ""},
		{&enginepb.Happening{Kind: enginepb.Happening_KIND_RELOADED, TookNs: 3_000_000, Imports: []string{"/a.py"}}, api.Notice_LEVEL_INFO, "m reloaded in 3.00 ms, since /a.py has changed", ""},
		{&enginepb.Happening{Kind: enginepb.Happening_KIND_RELOADED, TookNs: 3_000_000, Imports: []string{"/a.py", "/b.py"}}, api.Notice_LEVEL_INFO, "m reloaded in 3.00 ms, since these files have changed: /a.py, /b.py", ""},
		{&enginepb.Happening{Kind: enginepb.Happening_KIND_RELOAD_FAILED, Reason: "no", Imports: []string{"/a.py"}}, api.Notice_LEVEL_WARNING, "m did not reload, since /a.py has changed; the earlier load still serves", "no"},
		{&enginepb.Happening{Kind: enginepb.Happening_KIND_UNLOADED}, api.Notice_LEVEL_INFO, "m unloaded", ""},
		{&enginepb.Happening{Kind: enginepb.Happening_KIND_UNLOADED, Reason: "a part fell"}, api.Notice_LEVEL_WARNING, "m unloaded", "a part fell"},
		{&enginepb.Happening{Kind: enginepb.Happening_KIND_REPOSITORY_TROUBLE, Reason: "/r cannot be read"}, api.Notice_LEVEL_ERROR, "/r cannot be read", ""},
		{&enginepb.Happening{Kind: enginepb.Happening_KIND_REPOSITORY_BACK, Reason: "/r can be read again"}, api.Notice_LEVEL_INFO, "/r can be read again", ""},
		{&enginepb.Happening{Kind: enginepb.Happening_KIND_LOAD_FAILED, Reason: "no file\n"}, api.Notice_LEVEL_ERROR, "m did not load", "no file"},
		{&enginepb.Happening{Kind: enginepb.Happening_KIND_INSTANCE_DIED, Reason: "it was killed"}, api.Notice_LEVEL_WARNING, "m: a process of the model died", "it was killed"},
		{&enginepb.Happening{Kind: enginepb.Happening_KIND_INSTANCE_REVIVED}, api.Notice_LEVEL_INFO, "m: a process of the model that died runs again", ""},
	} {
		c.happening.Model = "m"
		level, text, why := describe(c.happening)
		if level != c.level || text != c.text || why != c.why {
			t.Errorf("describe = %v %q %q, want %v %q %q", level, text, why, c.level, c.text, c.why)
		}
	}
}
