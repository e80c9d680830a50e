// Package servers keeps the servers that a person has named: their addresses in the store, and the values
// of their headers, which may be tokens, in the system's keyring or else in a file for this user alone.
//
// A List is safe for concurrent use.
package servers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"conch/app/enginehost"
	"conch/app/remote"
	"conch/app/store"
)

// ErrNone is the error of a name that no server has.
var ErrNone = errors.New("no server has this name")

// Server is a server with its name.
type Server struct {
	remote.Options
	Kept bool // false: it was given for this start only
}

// List are the named servers.
type List struct {
	store   *store.Store
	secrets secrets

	mu      sync.Mutex // lets one change run at a time, and guards the rest
	given   map[string]remote.Options
	removed map[string]removed // since the start, by their names
}

// removed is what is needed to put a server back: the values of its headers, which go to no other address.
type removed struct {
	address string
	values  map[string]string
}

// Open returns the list. Where the system has no keyring, secrets are in a file in dir.
func Open(s *store.Store, dir string) *List {
	return &List{store: s, secrets: openSecrets(dir), given: map[string]remote.Options{}, removed: map[string]removed{}}
}

// Secrets says where the values of headers are kept.
func (l *List) Secrets() string { return l.secrets.where() }

// prefix begins the settings in which servers are kept. The line feed hides them from the window.
const prefix = "server\n"

// kept is what the store has of a server.
type kept struct {
	Address  string   `json:"address"`
	Metrics  string   `json:"metrics,omitempty"`
	CAFile   string   `json:"ca_file,omitempty"`
	CertFile string   `json:"cert_file,omitempty"`
	KeyFile  string   `json:"key_file,omitempty"`
	Headers  []string `json:"headers,omitempty"` // their names
}

// All lists the servers by name, without the values of headers.
func (l *List) All(ctx context.Context) ([]Server, error) {
	values, err := l.store.Settings(ctx)
	if err != nil {
		return nil, err
	}
	var all []Server
	for key, value := range values {
		name, found := strings.CutPrefix(key, prefix)
		if !found {
			continue
		}
		var k kept
		if err := json.Unmarshal([]byte(value), &k); err != nil {
			return nil, fmt.Errorf("read the server %q: %w", name, err)
		}
		all = append(all, Server{k.options(name), true})
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, opts := range l.given {
		if !slices.ContainsFunc(all, func(s Server) bool { return s.Name == name }) {
			all = append(all, Server{opts, false})
		}
	}
	slices.SortFunc(all, func(a, b Server) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}

func (k kept) options(name string) remote.Options {
	out := remote.Options{Name: name, Address: k.Address, Metrics: k.Metrics, CAFile: k.CAFile, CertFile: k.CertFile, KeyFile: k.KeyFile}
	for _, h := range k.Headers {
		out.Headers = append(out.Headers, remote.Header{Name: h})
	}
	return out
}

// Find returns a server by its name, without the values of headers.
func (l *List) Find(ctx context.Context, name string) (Server, error) {
	all, err := l.All(ctx)
	if err != nil {
		return Server{}, err
	}
	i := slices.IndexFunc(all, func(s Server) bool { return s.Name == name })
	if i < 0 {
		return Server{}, fmt.Errorf("%w: %q. Add it in the menu of servers", ErrNone, name)
	}
	return all[i], nil
}

// Whole returns how a server is reached, with the values of its headers.
func (l *List) Whole(ctx context.Context, name string) (remote.Options, error) {
	s, err := l.Find(ctx, name)
	if err != nil || !s.Kept {
		return s.Options, err
	}
	err = l.fill(&s.Options, name)
	return s.Options, err
}

// fill adds the values of headers that have none, as they are kept of a server.
func (l *List) fill(o *remote.Options, of string) error {
	if !slices.ContainsFunc(o.Headers, func(h remote.Header) bool { return h.Value == "" }) {
		return nil
	}
	values, err := l.secrets.get(of)
	if err != nil {
		return fmt.Errorf("read the headers of %s from %s: %w", of, l.secrets.where(), err)
	}
	*o = withValues(*o, values)
	return nil
}

// withValues gives headers without a value the one that they have in values.
func withValues(o remote.Options, values map[string]string) remote.Options {
	o.Headers = slices.Clone(o.Headers)
	for i, h := range o.Headers {
		o.Headers[i].Value = cmp.Or(h.Value, values[h.Name])
	}
	return o
}

// Complete returns what a person entered, with the values of headers that were kept under the name
// before where new ones were not entered.
func (l *List) Complete(entered remote.Options, before string) (remote.Options, error) {
	if before != "" {
		if err := l.fill(&entered, before); err != nil {
			return entered, err
		}
	}
	return entered, check(entered)
}

// check says what is wrong with what a person entered.
func check(o remote.Options) error {
	const longest = 80
	switch {
	case strings.TrimSpace(o.Name) == "":
		return errors.New("the server has no name yet")
	case o.Name != strings.TrimSpace(o.Name) || strings.ContainsFunc(o.Name, func(r rune) bool { return r < ' ' }) || len(o.Name) > longest:
		return fmt.Errorf("the name %.40q has blanks at its ends, control characters, or more than %d characters", o.Name, longest)
	}
	return o.Check()
}

// Save keeps a server. before is the name that it had, "" for a new one: headers without a value keep
// the value that they had, also those of a server that was removed since the start.
func (l *List) Save(ctx context.Context, entered remote.Options, before string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.removed[before]; r.address == entered.URL() {
		entered = withValues(entered, r.values)
	}
	o, err := l.Complete(entered, before)
	if err != nil {
		return err
	}
	values, err := l.store.Settings(ctx)
	if err != nil {
		return err
	}
	if o.Name != before && values[prefix+o.Name] != "" {
		return fmt.Errorf("another server is called %q already", o.Name)
	}
	k := kept{Address: o.URL(), Metrics: o.Metrics, CAFile: o.CAFile, CertFile: o.CertFile, KeyFile: o.KeyFile}
	secret := map[string]string{}
	for _, h := range o.Headers {
		k.Headers = append(k.Headers, h.Name)
		secret[h.Name] = h.Value
	}
	if err := l.secrets.set(o.Name, secret); err != nil {
		return fmt.Errorf("keep the headers of %s in %s: %w", o.Name, l.secrets.where(), err)
	}
	text, err := json.Marshal(k)
	if err != nil {
		return err
	}
	change := map[string]string{prefix + o.Name: string(text)}
	renamed := before != "" && before != o.Name
	if renamed {
		change[prefix+before] = ""
	}
	if err := l.store.SetSettings(ctx, change); err != nil {
		return err
	}
	if renamed {
		_ = l.secrets.set(before, nil) // it is reached by its new name
	}
	delete(l.removed, o.Name)
	return nil
}

// Remove forgets a server and its secrets. Until the end of the program Save can put it back.
func (l *List) Remove(ctx context.Context, name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	settings, err := l.store.Settings(ctx)
	if err != nil {
		return err
	}
	text, is := settings[prefix+name]
	if !is {
		return nil // another window was faster
	}
	var k kept
	_ = json.Unmarshal([]byte(text), &k) // one that cannot be read is put back without the values
	values, err := l.secrets.get(name)
	if err != nil {
		values = nil // it can be put back without them
	}
	if err := l.store.SetSettings(ctx, map[string]string{prefix + name: ""}); err != nil {
		return err
	}
	if err := l.secrets.set(name, nil); err != nil {
		err = fmt.Errorf("remove the headers of %s from %s: %w", name, l.secrets.where(), err)
		return errors.Join(err, l.store.SetSettings(ctx, map[string]string{prefix + name: text})) // it can be removed again
	}
	l.removed[name] = removed{k.Address, values}
	return nil
}

// shownLast is the setting with the server that was shown last. The line feed hides it from the window.
const shownLast = "shown\nserver"

// NoteShown keeps which server is shown, "" for the engine of this machine.
func (l *List) NoteShown(ctx context.Context, name string) error {
	return l.store.SetSettings(ctx, map[string]string{shownLast: name})
}

// Shown returns the server that was shown last; "" for the engine of this machine, and for a server that is not kept.
func (l *List) Shown(ctx context.Context) (string, error) {
	values, err := l.store.Settings(ctx)
	if err != nil {
		return "", err
	}
	name := values[shownLast]
	if values[prefix+name] == "" {
		return "", nil
	}
	return name, nil
}

// Give adds a server for this start only, under its address.
func (l *List) Give(address string) (name string, err error) {
	o := remote.Options{Name: address, Address: address}
	if err := o.Check(); err != nil {
		return "", err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	o.Name, _ = strings.CutPrefix(o.URL(), "grpc://")
	l.given[o.Name] = o
	return o.Name, nil
}

// Start begins to follow a server.
func (l *List) Start(ctx context.Context, name string, up func(enginehost.Update)) (*remote.Server, error) {
	o, err := l.Whole(ctx, name)
	if err != nil {
		return nil, err
	}
	return remote.Start(o, up)
}
