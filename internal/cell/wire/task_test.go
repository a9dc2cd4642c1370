package wire

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"golang.org/x/sys/unix"

	"blotter/internal/document"
)

// pair is a parent's connection and a cell's descriptor.
func pair(t *testing.T) (*net.UnixConn, int) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(fds[0]), "")
	c, err := net.FileConn(f)
	f.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); unix.Close(fds[1]) })
	return c.(*net.UnixConn), fds[1]
}

func TestTaskArrivesWithItsDocument(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d")
	if err := os.WriteFile(path, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	doc, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer doc.Close()
	c, fd := pair(t)
	want := Task{
		Rules: document.Rules{
			Actions:    map[document.Type]document.Action{document.Date: document.Keep, document.Face: document.Review},
			Thresholds: map[document.Type]float64{document.Name: 0.5}, Unread: document.WithholdUnread,
			UnknownWords: document.LikeNames, KeepYear: true, KeepZIP3: true, AllAges: true, CodesPersonalOnly: true,
			PaddingPX: 2, Fill: document.Colour{R: 1, G: 2, B: 3}, Labels: true,
		},
		Limits:    document.Limits{Assets: 3, Seconds: 9},
		Originals: true, Subject: make([]byte, 300<<10), // more than a socket's buffer
	}
	sent := make(chan error, 1)
	go func() { sent <- SendTask(c, want, doc) }()
	got, theirs, err := ReceiveTask(fd)
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	b := make([]byte, 7)
	if _, err := theirs.ReadAt(b, 0); err != nil || string(b) != "content" {
		t.Errorf("document: %q, %v", b, err)
	}
}

func TestNoTask(t *testing.T) {
	c, fd := pair(t)
	c.Close()
	if _, _, err := ReceiveTask(fd); !errors.Is(err, io.EOF) {
		t.Errorf("%v, want EOF", err)
	}
}

func TestTaskWithoutDocument(t *testing.T) {
	c, fd := pair(t)
	if _, err := c.Write([]byte{byte(kindTask), 2, 0, 0, 0, '{', '}'}); err != nil {
		t.Fatal(err)
	}
	if _, doc, err := ReceiveTask(fd); err == nil {
		doc.Close()
		t.Error("a task without a document was taken")
	}
}

func TestTaskIsBounded(t *testing.T) {
	c, _ := pair(t)
	if err := SendTask(c, Task{Subject: make([]byte, MaxTask)}, os.Stdin); err == nil {
		t.Error("a task over the limit was sent")
	}
}

func TestProtectionNames(t *testing.T) {
	var all Protection
	for _, n := range AllProtections.Names() {
		p, ok := ParseProtection(n)
		if !ok {
			t.Errorf("%s is not read", n)
		}
		all |= p
	}
	if all != AllProtections {
		t.Errorf("names cover %b of %b", all, AllProtections)
	}
	if _, ok := ParseProtection("none"); ok {
		t.Error("an unknown name was read")
	}
}
