package web_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/app/web"
)

// ask calls the API of a server with a token.
func ask(t *testing.T, s *web.Server, token, path string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+host(t, s)+"/api/"+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

// TestANewTokenHoldsAtOnce: a new token is valid for every server of the data folder from the next
// call on, and ends running calls.
func TestANewTokenHoldsAtOnce(t *testing.T) {
	dir, ended := t.TempDir(), make(chan struct{}, 1)
	old := token(t, dir, false)
	stream := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "watch") {
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			ended <- struct{}{}
		}
	})
	first, second := serveAPI(t, web.Options{TokenDir: dir}, stream), serveAPI(t, web.Options{TokenDir: dir}, stream)
	other := serveAPI(t, web.Options{}, stream)
	others := other.Token()
	for _, s := range []*web.Server{first, second} {
		if answer := ask(t, s, old, "watch"); answer.StatusCode != http.StatusOK {
			t.Fatalf("the token does not fit: %d", answer.StatusCode)
		}
	}
	renewed := token(t, dir, true)
	for _, s := range []*web.Server{first, second} {
		if answer := ask(t, s, old, "x"); answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("with the old token: %d", answer.StatusCode)
		}
		await(t, ended)
		if answer := ask(t, s, renewed, "x"); answer.StatusCode != http.StatusOK {
			t.Errorf("with the new token: %d", answer.StatusCode)
		}
		if at, err := url.Parse(s.URL()); err != nil || at.Fragment != "token="+renewed || s.Token() != renewed {
			t.Errorf("the address is %s, %v", s.URL(), err)
		}
	}
	if answer := ask(t, other, others, "x"); answer.StatusCode != http.StatusOK {
		t.Errorf("a server with a token of its own: %d", answer.StatusCode)
	}
	// A running call also ends while no request comes.
	ask(t, first, renewed, "watch")
	token(t, dir, true)
	await(t, ended)
	// A file without a token changes nothing.
	held := first.Token()
	if err := os.Remove(filepath.Join(dir, "web-token")); err != nil {
		t.Fatal(err)
	}
	if answer := ask(t, first, held, "x"); answer.StatusCode != http.StatusOK {
		t.Errorf("without the file: %d", answer.StatusCode)
	}
}

// await fails where a call does not end.
func await(t *testing.T, ended <-chan struct{}) {
	t.Helper()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("a call goes on with the old token")
	}
}

func token(t *testing.T, dir string, renew bool) string {
	t.Helper()
	text, err := web.Token(dir, renew)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
