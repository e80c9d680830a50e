package workspace

import "testing"

// TestRootsAreShownWithHome: only the beginning of a path is the home folder, and there may be none.
func TestRootsAreShownWithHome(t *testing.T) {
	for _, c := range []struct{ home, want string }{
		{"/home/eva", "~/models, /mnt/home/eva/models"},
		{"", "/home/eva/models, /mnt/home/eva/models"},
	} {
		s := &openRepository{w: &Workspace{opts: Options{Home: c.home}}}
		if got := s.name("/home/eva/models\n/mnt/home/eva/models"); got != c.want {
			t.Errorf("home %q: %s, want %s", c.home, got, c.want)
		}
	}
}
