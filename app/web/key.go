package web

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// lookEvery is how soon calls that go on, streams above all, end when the token is replaced and nobody asks anything.
const lookEvery = time.Second

// key is the token that opens the API: that of a file, which `conch web --new-token` may replace while the server runs, or
// one of this server alone.
type key struct {
	path string // "" for one that stays

	mu       sync.Mutex // held while the file is read, so that an older token never follows a newer one
	token    string
	replaced chan struct{} // closed when token is another
}

// newKey returns the key of a server. dir is the folder that Token keeps the user's token in; "" for a token of its own.
func newKey(dir string) (*key, error) {
	k := &key{replaced: make(chan struct{})}
	if dir != "" {
		k.path = filepath.Join(dir, tokenFile)
	}
	if token, ok := readToken(k.path); dir != "" && ok {
		k.token = token
		return k, nil
	}
	token, err := newToken()
	k.token = token
	return k, err
}

// now is the token that holds, and what is closed when it holds no more. While the file cannot be read, the newest token
// that was read holds.
func (k *key) now() (token string, replaced <-chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.path != "" {
		if token, ok := readToken(k.path); ok && token != k.token {
			k.token = token
			close(k.replaced)
			k.replaced = make(chan struct{})
		}
	}
	return k.token, k.replaced
}

// look notices a new token where nobody asks anything, until ctx ends.
func (k *key) look(ctx context.Context) {
	if k.path == "" {
		return
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			k.now()
		case <-ctx.Done():
			return
		}
	}
}

// admits reports whether a request has the token, and what is closed when it holds no more. It compares in a time that tells nothing.
func (k *key) admits(r *http.Request) (replaced <-chan struct{}, ok bool) {
	want, replaced := k.now()
	scheme, token, given := strings.Cut(r.Header.Get("Authorization"), " ")
	a, b := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(want))
	return replaced, given && strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// until returns a request that ends when a channel is closed. end lets the channel go.
func until(closed <-chan struct{}, r *http.Request) (limited *http.Request, end func()) {
	ctx, cancel := context.WithCancel(r.Context())
	go func() {
		select {
		case <-closed:
			cancel()
		case <-ctx.Done():
		}
	}()
	return r.WithContext(ctx), cancel
}
