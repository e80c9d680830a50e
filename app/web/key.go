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

// lookEvery is how soon long calls, such as streams, end after the token is replaced while no request
// comes.
const lookEvery = time.Second

// key is the token of the API. It is in a file, which `conch web --new-token` may replace while the
// server runs, or belongs to this server only.
type key struct {
	path string // "" for a token that does not change

	mu       sync.Mutex // held while the file is read, so that an older token never replaces a newer one
	token    string
	replaced chan struct{} // closed when token changes
}

// newKey returns the key of a server. dir is the folder in which Token keeps the user's token; ""
// means a token of its own.
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

// now returns the valid token, and a channel that is closed when it is no longer valid. While the file
// cannot be read, the token that was read last is valid.
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

// look notices a new token while no request comes, until ctx ends.
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

// admits reports whether a request has the token. replaced is closed when the token is no longer
// valid. The time of the comparison reveals nothing.
func (k *key) admits(r *http.Request) (replaced <-chan struct{}, ok bool) {
	want, replaced := k.now()
	scheme, token, given := strings.Cut(r.Header.Get("Authorization"), " ")
	a, b := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(want))
	return replaced, given && strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// until returns a request that ends when a channel is closed. end stops waiting for the channel.
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
