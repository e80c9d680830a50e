package runtimes

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// longestPage bounds a package's page in an index, in bytes.
const longestPage = 64 << 20

// listed is a file of a package, as an index tells it.
type listed struct {
	name string
	at   *url.URL
	sum  string // SHA-256; "" where the index tells none
}

// indexURL is the package index that pip's or uv's variables and files name. Without one nothing is asked: which index people trust is theirs to
// say, and only pip and uv bring one of their own.
func indexURL() (string, error) {
	ways := []map[string]string{{"index-url": os.Getenv("PIP_INDEX_URL"), "no-index": os.Getenv("PIP_NO_INDEX")}}
	for _, file := range pipFiles() {
		ways = append(ways, pipSettings(file))
	}
	for _, set := range ways {
		if no := strings.ToLower(set["no-index"]); no != "" && !slices.Contains([]string{"0", "false", "no", "off"}, no) {
			return "", errors.New("pip's settings forbid to ask an index (no-index)")
		}
	}
	ways = append(ways[:1:1], append([]map[string]string{{"index-url": cmp.Or(os.Getenv("UV_DEFAULT_INDEX"), os.Getenv("UV_INDEX_URL"))}}, ways[1:]...)...)
	for _, set := range ways {
		if set["index-url"] != "" {
			return set["index-url"], nil
		}
	}
	return "", errors.New("neither PIP_INDEX_URL nor a pip.conf names a package index. Set PIP_INDEX_URL to the address of the one you trust")
}

// pipFiles are the files with pip's settings, those that count more first.
func pipFiles() []string {
	if file := os.Getenv("PIP_CONFIG_FILE"); file != "" {
		return []string{file}
	}
	home, _ := os.UserHomeDir()
	if runtime.GOOS == "windows" {
		return []string{
			filepath.Join(home, "pip", "pip.ini"), filepath.Join(os.Getenv("APPDATA"), "pip", "pip.ini"),
			filepath.Join(os.Getenv("ProgramData"), "pip", "pip.ini"),
		}
	}
	config := cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
	list := []string{filepath.Join(config, "pip", "pip.conf"), filepath.Join(home, ".pip", "pip.conf")}
	if runtime.GOOS == "darwin" {
		list = append([]string{filepath.Join(home, "Library", "Application Support", "pip", "pip.conf")}, list...)
		return append(list, "/Library/Application Support/pip/pip.conf")
	}
	return append(list, "/etc/pip.conf", "/etc/xdg/pip/pip.conf")
}

// pipSettings are the settings for downloads in a file of pip's. Its section `download` comes before `global`.
func pipSettings(file string) map[string]string {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	section, found := "", map[string]map[string]string{"global": {}, "download": {}}
	for lines := bufio.NewScanner(strings.NewReader(string(text))); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if inside, is := strings.CutPrefix(line, "["); is {
			section = strings.ToLower(strings.TrimSuffix(inside, "]"))
			continue
		}
		key, value, is := strings.Cut(line, "=")
		if !is {
			key, value, is = strings.Cut(line, ":")
		}
		key = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(key)), "_", "-")
		if is && found[section] != nil {
			found[section][key] = strings.TrimSpace(value)
		}
	}
	maps.Copy(found["global"], found["download"])
	return found["global"]
}

// files are those of a package in an index.
func files(ctx context.Context, index, name string) ([]listed, error) {
	page, err := url.Parse(strings.TrimSuffix(index, "/") + "/" + name + "/")
	if err != nil || page.Scheme != "http" && page.Scheme != "https" {
		return nil, fmt.Errorf("the package index %s is no address that begins with https", hidden(index))
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, page.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1")
	answer, err := client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("the package index cannot be reached: %w", withoutSecrets(err))
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the package index %s answers %s for %s", page.Host, answer.Status, name)
	}
	body := io.LimitReader(answer.Body, longestPage)
	base := answer.Request.URL
	if base.Host == page.Host { // and not of another machine that the index leads to
		base.User = page.User
	}
	if strings.Contains(answer.Header.Get("Content-Type"), "json") {
		return filesOfJSON(body, base)
	}
	return filesOfPage(body, base), nil
}

// hidden is an address without its password.
func hidden(address string) string {
	if u, err := url.Parse(address); err == nil {
		return u.Redacted()
	}
	return "that is configured"
}

// withoutSecrets is an error of a request without the address, which may have a password.
func withoutSecrets(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// filesOfJSON reads a page as PEP 691 has it.
func filesOfJSON(page io.Reader, base *url.URL) (list []listed, err error) {
	var said struct {
		Files []struct {
			Filename string            `json:"filename"`
			URL      string            `json:"url"`
			Hashes   map[string]string `json:"hashes"`
		} `json:"files"`
	}
	if err := json.NewDecoder(page).Decode(&said); err != nil {
		return nil, fmt.Errorf("read the page of the package index: %w", err)
	}
	for _, f := range said.Files {
		if at := below(base, f.URL); at != nil {
			list = append(list, listed{f.Filename, at, f.Hashes["sha256"]})
		}
	}
	return list, nil
}

// filesOfPage reads a page as PEP 503 has it: a link for each file, with its hash behind "#".
func filesOfPage(page io.Reader, base *url.URL) (list []listed) {
	for tokens := html.NewTokenizer(page); ; {
		switch tokens.Next() {
		case html.ErrorToken: // the end
			return list
		case html.StartTagToken:
		default:
			continue
		}
		token := tokens.Token()
		i := slices.IndexFunc(token.Attr, func(a html.Attribute) bool { return a.Key == "href" })
		if token.Data != "a" || i < 0 {
			continue
		}
		if at := below(base, token.Attr[i].Val); at != nil {
			sum, _ := strings.CutPrefix(at.Fragment, "sha256=")
			at.Fragment = ""
			list = append(list, listed{path.Base(at.Path), at, sum})
		}
	}
}

// below is an address that a page names, with the name and the password of the index where it is on the same machine; nil for what is none.
func below(base *url.URL, address string) *url.URL {
	at, err := base.Parse(address)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" {
		return nil
	}
	if at.User == nil && at.Host == base.Host && at.Scheme == base.Scheme {
		at.User = base.User
	}
	return at
}

// wheelOf chooses the wheel of an offer among the files of its package: the one with the published hash, else the first that fits the Python of
// the offers, on the best platform. Only one with a hash that is published, or that the index tells, is taken.
func wheelOf(list []listed, o Offer, file Wheel) (listed, error) {
	for _, tag := range append(slices.Clone(file.Tags), "any") {
		for _, f := range list {
			f.sum = cmp.Or(f.sum, file.SHA256)
			if goodSum.MatchString(f.sum) && f.sum == cmp.Or(file.SHA256, f.sum) && fitsWheel(f.name, o, tag) {
				return f, nil
			}
		}
	}
	if i := slices.IndexFunc(list, func(f listed) bool { return strings.Contains(f.name, "-"+o.Version+"-") }); i >= 0 && file.SHA256 != "" {
		return listed{}, fmt.Errorf("the index has no wheel of %s %s with the published SHA-256 %s", o.Package, o.Version, file.SHA256)
	}
	return listed{}, fmt.Errorf("the index has no wheel of %s %s for this system, or tells no SHA-256 of it", o.Package, o.Version)
}

// fitsWheel reports whether a file's name is that of a wheel of the offer for the Python of the offers, or for any, and for a platform.
func fitsWheel(name string, o Offer, platform string) bool {
	parts := strings.Split(strings.TrimSuffix(name, ".whl"), "-")
	if !strings.HasSuffix(name, ".whl") || len(parts) < 5 || filepath.Base(name) != name {
		return false
	}
	abi, platforms := parts[len(parts)-2], strings.Split(parts[len(parts)-1], ".")
	return normal(parts[0]) == normal(o.Package) && parts[1] == o.Version && slices.Contains([]string{pythonABI, "abi3", "none"}, abi) && slices.Contains(platforms, platform)
}

// normal is a package's name as an index has it.
func normal(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "-")) }
