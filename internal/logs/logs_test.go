package logs_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"blotter/internal/logs"
)

func TestOnlyListedKeysAndIdentifiersPass(t *testing.T) {
	var out bytes.Buffer
	l := logs.New(&out, slog.LevelInfo)
	l = l.With("path", "/home/mallory/scan.pdf", "job", "j123").WithGroup("g")
	l.Info("job ended", "reason", "extract.pixel_limit", "bytes", 12, "ms", 3*time.Second,
		"text", "Eleanor Rigby", "state", "Eleanor Rigby", "err", errors.New("open /home/mallory/scan.pdf"),
		slog.Group("stage", slog.String("name", "Eleanor")))
	got := out.String()
	for _, want := range []string{`"job":"j123"`, `"reason":"extract.pixel_limit"`, `"bytes":12`, `"ms":3000`, `"msg":"job ended"`} {
		if !strings.Contains(got, want) {
			t.Errorf("log line lacks %s: %s", want, got)
		}
	}
	for _, leak := range []string{"Eleanor", "mallory", "path", "text", "err"} {
		if strings.Contains(got, leak) {
			t.Errorf("log line holds %q: %s", leak, got)
		}
	}
}
