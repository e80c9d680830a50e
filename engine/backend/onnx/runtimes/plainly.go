package runtimes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"conch/configedit/bytesize"
)

// tries is how often a download is asked for again without anything that came.
const tries = 5

// betweenTries is the time before a download is asked for again, and silence how long a server may send nothing.
const (
	betweenTries = time.Second
	silence      = 30 * time.Second
)

// client asks through the proxy of the system's variables.
var client = func() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = silence
	return &http.Client{Transport: transport}
}()

// patient ends a connection that sends nothing for too long.
type patient struct {
	io.Reader
	timer *time.Timer
}

func (p patient) Read(to []byte) (int, error) {
	p.timer.Reset(silence)
	return p.Reader.Read(to)
}

// fetchPlainly downloads the wheel of an offer without pip, from the index that pip would ask. What has come of it is kept when that is broken off,
// in the same place as what pip's session had downloaded. It returns the file and its hash.
func (s *Store) fetchPlainly(ctx context.Context, stage string, w Wanted, left room) (to, sum string, err error) {
	file, err := w.Offer.Wheel()
	if err != nil {
		return "", "", err
	}
	what := fmt.Sprintf("download %s %s without pip", w.Offer.Package, w.Offer.Version)
	index, err := indexURL()
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", what, err)
	}
	list, err := files(ctx, index, normal(w.Offer.Package))
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", what, plainCause(ctx, err))
	}
	found, err := wheelOf(list, w.Offer, file)
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", what, err)
	}
	dir := filepath.Join(s.Dir, partsName)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", "", err
	}
	part := filepath.Join(dir, found.sum)
	stop := watchSize(ctx, func() int64 { return size(part) }, w.Progress)
	err = download(ctx, found, part, int64(left), w.Tell)
	stop()
	switch {
	case errors.Is(err, errTooLarge), errors.Is(err, syscall.ENOSPC):
		return "", "", errors.Join(err, os.Remove(part))
	case ctx.Err() != nil:
		return "", "", context.Cause(ctx)
	case err != nil:
		return "", "", fmt.Errorf("%s: %w. What has come of it is kept: ask again to go on from there", what, withoutSecrets(err))
	}
	if err := checkSum(part, found.name, found.sum); err != nil {
		return "", "", errors.Join(err, os.Remove(part))
	}
	to = filepath.Join(stage, found.name)
	return to, found.sum, os.Rename(part, to)
}

// plainCause is why a context has ended, or the error.
func plainCause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// download downloads what a file lacks, over as many connections as it takes.
func download(ctx context.Context, from listed, part string, most int64, tell func(string)) error {
	file, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if begun := size(part); begun > 0 {
		if checkSum(part, from.name, from.sum) == nil {
			return nil
		}
		tell(fmt.Sprintf("going on with the download of %s behind its first %s", from.name, bytesize.Text(begun)))
	}
	for left := tries; ; {
		before := size(part)
		err := rest(ctx, from, file, most)
		switch {
		case err == nil:
			return file.Sync()
		case ctx.Err() != nil, errors.Is(err, errTooLarge), errors.Is(err, syscall.ENOSPC):
			return err
		case size(part) > before:
			left = tries
		default:
			left--
		}
		if left == 0 {
			return err
		}
		select {
		case <-time.After(betweenTries):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// rest downloads once what a file lacks.
func rest(ctx context.Context, from listed, file *os.File, most int64) error {
	begun, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from.at.String(), http.NoBody)
	if err != nil {
		return err
	}
	r.Header.Set("Accept-Encoding", "identity")
	if begun > 0 {
		r.Header.Set("Range", fmt.Sprintf("bytes=%d-", begun))
	}
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if begun, err = from.begin(answer, file, begun); err != nil {
		return err
	}
	if begun+answer.ContentLength > most {
		return errTooLarge
	}
	timer := time.AfterFunc(silence, cancel)
	defer timer.Stop()
	got, err := io.Copy(file, io.LimitReader(patient{answer.Body, timer}, most-begun+1))
	if begun+got > most {
		return errTooLarge
	}
	return err
}

// begin makes a file ready for an answer, and returns how much of it stays.
func (from listed) begin(answer *http.Response, file *os.File, begun int64) (int64, error) {
	switch answer.StatusCode {
	case http.StatusPartialContent:
		return begun, nil
	case http.StatusOK, http.StatusRequestedRangeNotSatisfiable: // from the beginning
		_, err := file.Seek(0, io.SeekStart)
		if err = errors.Join(err, file.Truncate(0)); err != nil || answer.StatusCode == http.StatusOK {
			return 0, err
		}
	}
	return 0, fmt.Errorf("%s answers %s", from.at.Host, answer.Status)
}
