package vault

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"blotter/internal/document"
)

// Ref names a blob.
type Ref struct {
	Job   document.ID
	Class Class
	Token int64 // fencing token of the lease under which it was written, ≥ 1; 0 for an upload
	Index int   // of the asset, ≥ 1; 0 for an upload, of which a job has one
}

// key is the blob's name in the bucket, and what its ciphertext is bound to.
func (r Ref) key() (string, error) {
	if _, err := document.ParseID(string(r.Job)); err != nil {
		return "", err
	}
	if !r.Class.holdsBlobs() || !r.numbered() {
		return "", errors.New("vault: not a reference to a blob")
	}
	return fmt.Sprintf("%s/%s/%d-%d", r.Job, r.Class, r.Token, r.Index), nil
}

// numbered reports whether the numbers fit the class.
func (r Ref) numbered() bool {
	if r.Class == Upload {
		return r.Token == 0 && r.Index == 0
	}
	return r.Token >= 1 && r.Index >= 1
}

func (c Class) holdsBlobs() bool { return c == Derivative || c == Original || c == Upload }

// parseKey reads what key writes, and the names under which fileblob keeps what is not
// finished: the blob's name, a number and ".tmp".
func parseKey(key string) (r Ref, partial, ok bool) {
	parts := strings.Split(key, "/")
	if len(parts) != 3 {
		return Ref{}, false, false
	}
	name, rest, partial := strings.Cut(parts[2], ".")
	token, index, _ := strings.Cut(name, "-")
	t, err1 := strconv.ParseInt(token, 10, 64)
	i, err2 := strconv.Atoi(index)
	r = Ref{Job: document.ID(parts[0]), Class: Class(parts[1]), Token: t, Index: i}
	want, err3 := r.key()
	if partial {
		want += "." + rest
	}
	ok = err1 == nil && err2 == nil && err3 == nil && want == key && (!partial || strings.HasSuffix(rest, ".tmp"))
	return r, partial, ok
}
