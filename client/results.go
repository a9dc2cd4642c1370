package client

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"blotter/receipt"
)

// Result writes result.json.
func (c *Client) Result(ctx context.Context, id string, w io.Writer) error {
	return c.copy(ctx, jobPath(id)+"/result", w)
}

// Receipt writes receipt.json.
func (c *Client) Receipt(ctx context.Context, id string, w io.Writer) error {
	return c.copy(ctx, jobPath(id)+"/receipt", w)
}

// Trust writes the trust list of the service. Whoever verifies receipts should have it
// from the operator by another way.
func (c *Client) Trust(ctx context.Context, w io.Writer) error {
	return c.copy(ctx, "/v1/trust", w)
}

// Derivative writes a redacted image, PNG. The numbers of images begin with 1.
func (c *Client) Derivative(ctx context.Context, id string, asset int64, w io.Writer) error {
	return c.copy(ctx, assetPath(id, asset)+"/derivative", w)
}

// Original writes an image as it was before redaction, PNG. That the key's holder has
// seen it goes on record.
func (c *Client) Original(ctx context.Context, id string, asset int64, w io.Writer) error {
	return c.copy(ctx, assetPath(id, asset)+"/original", w)
}

func assetPath(id string, asset int64) string {
	return jobPath(id) + "/assets/" + strconv.FormatInt(asset, 10)
}

// errDigest is what was received where it is not what the service said it would send.
var errDigest = errors.New("client: what was received has not the digest that was announced")

// copy writes the body of an answer, and compares it with the digest that the answer
// announces, if it does. After an error, what was written is of no use.
func (c *Client) copy(ctx context.Context, path string, w io.Writer) error {
	answer, err := c.do(ctx, call{method: http.MethodGet, path: path})
	if err != nil {
		return err
	}
	defer answer.Body.Close() // only read
	h := sha256.New()
	if _, err := io.Copy(io.MultiWriter(w, h), answer.Body); err != nil {
		return fmt.Errorf("client: receive a file: %w", err)
	}
	announced := answer.Header.Get("Content-Digest")
	if announced != "" && announced != digestHeader(h.Sum(nil)) {
		return errDigest
	}
	return nil
}

// digestHeader writes a SHA-256 as RFC 9530 has it.
func digestHeader(sum []byte) string {
	return "sha-256=:" + base64.StdEncoding.EncodeToString(sum) + ":"
}

// Save makes the directory dir with receipt.json, result.json and every redacted image, as
// `blotter verify` expects them. It appears under its name as a whole or not at all, and
// must not be there before.
func (c *Client) Save(ctx context.Context, id, dir string) error {
	part, err := os.MkdirTemp(filepath.Dir(filepath.Clean(dir)), ".blotter-*.part")
	if err != nil {
		return fmt.Errorf("client: make a directory: %w", err)
	}
	err = c.fill(ctx, id, part)
	if err == nil {
		err = os.Rename(part, dir) // refuses to replace a directory
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	return nil
}

func (c *Client) fill(ctx context.Context, id, dir string) error {
	var body bytes.Buffer
	if err := c.Result(ctx, id, &body); err != nil {
		return err
	}
	var r receipt.Result
	if err := json.Unmarshal(body.Bytes(), &r); err != nil {
		return fmt.Errorf("client: read a result: %w", err)
	}
	for _, a := range r.Assets {
		if a.Derivative != nil {
			if err := c.saveImage(ctx, id, dir, a); err != nil {
				return err
			}
		}
	}
	err := save(dir, "receipt.json", func(w io.Writer) error { return c.Receipt(ctx, id, w) })
	if err != nil {
		return err
	}
	return save(dir, "result.json", func(w io.Writer) error { _, err := w.Write(body.Bytes()); return err })
}

// saveImage saves a redacted image under the name that its number gives: no name that was
// received becomes a path.
func (c *Client) saveImage(ctx context.Context, id, dir string, a receipt.ResultAsset) error {
	h := sha256.New()
	err := save(dir, receipt.DerivativeName(a.Index), func(w io.Writer) error {
		return c.Derivative(ctx, id, a.Index, io.MultiWriter(w, h))
	})
	if err == nil && a.Derivative.SHA256 != hex.EncodeToString(h.Sum(nil)) {
		err = errDigest
	}
	return err
}

// save makes a file of what write gives.
func save(dir, name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("client: make a file: %w", err)
	}
	return errors.Join(write(f), f.Close())
}
