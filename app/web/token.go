package web

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"conch/app/userfile"
)

// tokenFile has the token of the user, for every port and every start.
const tokenFile = "web-token"

// tokenBytes are 128 bits.
const tokenBytes = 16

// Token returns the token that is kept in a folder, so that a page outlives a restart. It makes a new
// one when there is none, when others could have read or written it, and when renew is set.
func Token(dir string, renew bool) (string, error) {
	if err := userfile.MakeDir(dir); err != nil {
		return "", fmt.Errorf("make the folder for the token: %w", err)
	}
	path := filepath.Join(dir, tokenFile)
	if token, ok := readToken(path); ok && !renew {
		return token, nil
	}
	token, err := newToken()
	if err != nil {
		return "", err
	}
	if err := replaceToken(path, token); err != nil {
		return "", fmt.Errorf("keep the token: %w", err)
	}
	return token, nil
}

func newToken() (string, error) {
	var random [tokenBytes]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", fmt.Errorf("make a token: %w", err)
	}
	return hex.EncodeToString(random[:]), nil
}

// readToken reads a token that only its user could read and change.
func readToken(path string) (string, bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode().Perm()&userfile.OfOthers != 0 {
		return "", false
	}
	text, err := os.ReadFile(path)
	token := strings.TrimSpace(string(text))
	raw, notHex := hex.DecodeString(token)
	return token, err == nil && notHex == nil && len(raw) == tokenBytes
}

// replaceToken writes a new file and renames it: a reader at the same time gets the old token or the new one.
func replaceToken(path, token string) error {
	beside, err := os.CreateTemp(filepath.Dir(path), tokenFile+"-") // with mode 0600
	if err != nil {
		return err
	}
	_, err = beside.WriteString(token + "\n")
	err = errors.Join(err, beside.Close())
	if err == nil {
		err = os.Rename(beside.Name(), path)
	}
	if err != nil {
		if gone := os.Remove(beside.Name()); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}
