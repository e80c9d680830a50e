package servers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/zalando/go-keyring"
)

// secrets keeps the values of headers by the names of servers.
type secrets interface {
	get(server string) (map[string]string, error)
	set(server string, values map[string]string) error // none remove it
	where() string
}

// openSecrets returns the system's keyring, where it can be reached, else a file in dir.
func openSecrets(dir string) secrets {
	if hasKeyring() {
		return ring{}
	}
	return file{filepath.Join(dir, "servers.json")}
}

// hasKeyring asks the keyring for something. On Linux it is asked only where there is a session bus:
// godbus would start one of its own otherwise.
func hasKeyring() bool {
	if runtime.GOOS == "linux" && os.Getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
		return false
	}
	err := patiently(func() error {
		_, err := keyring.Get(service, "")
		return err
	})
	return err == nil || errors.Is(err, keyring.ErrNotFound)
}

// service names Conch in the keyring.
const service = "conch"

// askFor is how long the keyring may take: it may ask the user for a password.
const askFor = 30 * time.Second

// patiently gives a keyring up that does not answer.
func patiently(call func() error) error {
	done := make(chan error, 1)
	go func() { done <- call() }()
	select {
	case err := <-done:
		return err
	case <-time.After(askFor):
		return fmt.Errorf("it did not answer within %g s", askFor.Seconds())
	}
}

// ring is the system's keyring.
type ring struct{}

func (ring) where() string { return "the keyring of the system" }

func (ring) get(server string) (map[string]string, error) {
	text := make(chan string, 1)
	err := patiently(func() error {
		found, err := keyring.Get(service, server)
		text <- found
		return err
	})
	if errors.Is(err, keyring.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var values map[string]string
	return values, json.Unmarshal([]byte(<-text), &values)
}

func (ring) set(server string, values map[string]string) error {
	if len(values) == 0 {
		err := patiently(func() error { return keyring.Delete(service, server) })
		if errors.Is(err, keyring.ErrNotFound) {
			return nil
		}
		return err
	}
	text, err := json.Marshal(values)
	if err != nil {
		return err
	}
	return patiently(func() error { return keyring.Set(service, server, string(text)) })
}

// file has the secrets of all servers; only this user can read it.
type file struct{ path string }

func (f file) where() string { return "a file for this user alone, " + f.path }

func (f file) read() (map[string]map[string]string, error) {
	all := map[string]map[string]string{}
	text, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	return all, json.Unmarshal(text, &all)
}

func (f file) get(server string) (map[string]string, error) {
	all, err := f.read()
	return all[server], err
}

func (f file) set(server string, values map[string]string) error {
	all, err := f.read()
	if err != nil {
		return err
	}
	if len(values) == 0 {
		if all[server] == nil {
			return nil
		}
		delete(all, server)
	} else {
		all[server] = values
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	next, err := os.CreateTemp(filepath.Dir(f.path), ".servers-*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = next.Write(text)
	if err = errors.Join(err, next.Sync(), next.Close()); err == nil {
		err = os.Rename(next.Name(), f.path)
	}
	if err != nil {
		_ = os.Remove(next.Name())
	}
	return err
}
