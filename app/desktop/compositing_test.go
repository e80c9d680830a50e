package desktop

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPlainLetsWebKitAsk: where WebKit is told which device draws, it asks nothing about the screen, and then it does not
// follow the settings of the desktop either: the caret blinks when it should rest, and animations run.
func TestPlainLetsWebKitAsk(t *testing.T) {
	if device, set := plain["WEBKIT_WEB_RENDER_DEVICE_FILE"]; set {
		t.Errorf("WebKit is told the device %q", device)
	}
}

func TestPaintPlain(t *testing.T) {
	const unset = "(unset)"
	for _, c := range []struct {
		name, device string
		set          bool // the user has set everything to 0
		painted      bool
	}{
		{"no GPU", "", false, true},
		{"a screen without a GPU", "card0", false, true},
		{"a GPU", "renderD128", false, false},
		{"the user wants OpenGL", "", true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := unset
			for name := range plain {
				t.Setenv(name, "0") // restores what was there
				if c.set {
					before = "0"
				} else if err := os.Unsetenv(name); err != nil {
					t.Fatal(err)
				}
			}
			devices := t.TempDir()
			if c.device != "" {
				if err := os.WriteFile(filepath.Join(devices, c.device), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := paintPlain(devices); err != nil {
				t.Fatal(err)
			}
			for name, value := range plain {
				want := before
				if c.painted {
					want = value
				}
				got, set := os.LookupEnv(name)
				if !set {
					got = unset
				}
				if got != want {
					t.Errorf("%s=%s, want %s", name, got, want)
				}
			}
		})
	}
}

// TestSmall: WebKit keeps less memory, unless the user has set otherwise.
func TestSmall(t *testing.T) {
	for name, value := range small {
		t.Setenv(name, "0") // restores what was there
		for _, want := range []string{"0", value} {
			if err := setMissing(small); err != nil {
				t.Fatal(err)
			}
			if got := os.Getenv(name); got != want {
				t.Errorf("%s=%s, want %s", name, got, want)
			}
			if err := os.Unsetenv(name); err != nil {
				t.Fatal(err)
			}
		}
	}
}
