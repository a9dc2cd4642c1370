// Package logs makes the one logger of blotter. Its records are sparse (mission line
// M31): an attribute whose key is not on the list is dropped, whatever its value, so
// that a slip of the pen cannot write a name, a path or a document's text to a log.
//
// Messages are constants of the program; nothing may be formatted into them.
package logs

import (
	"context"
	"io"
	"log/slog"
	"time"
)

// allowed are the keys that may appear, each with the kind of value that it may hold.
// Strings are cut to the alphabet of identifiers, so that even an allowed key carries
// no prose.
var allowed = map[string]bool{
	"job": true, "event": true, "sequence": true, "tenant": true, "lane": true,
	"state": true, "reason": true, "class": true, "stage": true, "attempt": true, "token": true,
	"bytes": true, "pixels": true, "assets": true, "count": true, "pid": true,
	"ms": true, "duration": true, "delay": true, "protection": true, "signal": true,
	"version": true, "revision": true, "size": true,
	"role":  true,                 // of a node
	"what":  true,                 // the process does over and over
	"trace": true,                 // W3C trace id, 32 hexadecimal digits
	"route": true, "status": true, // of an HTTP request: the pattern it matched, never its path
	"at": true, // file and line of the program
}

// maxString bounds a string value, in bytes: the longest identifier is a digest.
const maxString = 64

// New returns a logger that writes JSON lines to w, of the level and above.
func New(w io.Writer, level slog.Leveler) *slog.Logger {
	return slog.New(handler{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})})
}

// handler drops what is not on the list before the JSON handler sees it.
type handler struct{ next slog.Handler }

func (h handler) Enabled(ctx context.Context, l slog.Level) bool { return h.next.Enabled(ctx, l) }

func (h handler) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, r.Message, 0)
	r.Attrs(func(a slog.Attr) bool {
		if a, ok := sift(a); ok {
			clean.AddAttrs(a)
		}
		return true
	})
	return h.next.Handle(ctx, clean)
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	var kept []slog.Attr
	for _, a := range attrs {
		if a, ok := sift(a); ok {
			kept = append(kept, a)
		}
	}
	return handler{h.next.WithAttrs(kept)}
}

// WithGroup ignores the group: grouped keys would escape the list.
func (h handler) WithGroup(string) slog.Handler { return h }

// sift lets an attribute pass if its key is listed and its value is a number, a
// duration, a time, a truth value or an identifier.
func sift(a slog.Attr) (slog.Attr, bool) {
	if !allowed[a.Key] {
		return a, false
	}
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindInt64, slog.KindUint64, slog.KindFloat64, slog.KindBool, slog.KindTime:
		return slog.Attr{Key: a.Key, Value: v}, true
	case slog.KindDuration:
		return slog.Int64(a.Key, v.Duration().Round(time.Millisecond).Milliseconds()), true
	}
	s := v.String()
	if len(s) > maxString || !identifier(s) {
		return a, false
	}
	return slog.String(a.Key, s), true
}

func identifier(s string) bool {
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-', r == '.', r == '+':
		default:
			return false
		}
	}
	return true
}
