package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"time"
)

// keepPictureBytes limits the pictures of the request history. Those that were sent longest ago go first.
var keepPictureBytes = 128 << 20

// Picture is one that a request was made of.
type Picture struct {
	Hash    []byte // its name in the history
	Content []byte
}

// NewPicture returns a picture with its name.
func NewPicture(content []byte) Picture {
	sum := sha256.Sum256(content)
	return Picture{sum[:], content}
}

// insertPictures writes those of a request. One that is there already is only younger now.
func insertPictures(ctx context.Context, tx *sql.Tx, sent time.Time, pictures []Picture) error {
	for _, p := range pictures {
		_, err := tx.ExecContext(ctx, `INSERT INTO picture (hash, used_ms, content) VALUES (?, ?, ?)
			ON CONFLICT (hash) DO UPDATE SET used_ms = max(used_ms, excluded.used_ms)`, p.Hash, sent.UnixMilli(), p.Content)
		if err != nil {
			return fmt.Errorf("write a picture: %w", err)
		}
	}
	return nil
}

// Picture reads a picture of the history; nil for one that is not kept any more.
func (s *Store) Picture(ctx context.Context, hash []byte) (content []byte, err error) {
	has := func(r *Request) bool { return r.picture(hash) != nil }
	if list := s.waiting(has); len(list) > 0 {
		return list[0].picture(hash), nil
	}
	err = s.query(ctx, `SELECT content FROM picture WHERE hash = ?`, []any{hash}, func(rows *sql.Rows) error { return rows.Scan(&content) })
	if err != nil {
		return nil, s.explain("read a picture of the history", err)
	}
	return content, nil
}

// picture returns the picture of a request with this name; nil for none.
func (r *Request) picture(hash []byte) []byte {
	for _, p := range r.Pictures {
		if bytes.Equal(p.Hash, hash) {
			return p.Content
		}
	}
	return nil
}

// size is what a request takes, with its answer and pictures.
func (r *Request) size() int {
	size := len(r.RequestBody) + len(r.ResponseBody)
	for _, p := range r.Pictures {
		size += len(p.Content)
	}
	return size
}

// prunePictures keeps the pictures that were sent last, as many as the limit of size allows, and none that is older than all requests.
func prunePictures(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM picture WHERE used_ms < (SELECT time_ms FROM request ORDER BY id LIMIT 1) OR hash IN (
		SELECT hash FROM (SELECT hash, sum(length(content)) OVER (ORDER BY used_ms DESC, hash) AS bytes FROM picture) WHERE bytes > ?)`, keepPictureBytes)
	if err != nil {
		return fmt.Errorf("delete old pictures: %w", err)
	}
	return nil
}
