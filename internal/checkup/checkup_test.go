package checkup

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"blotter/internal/cell"
	"blotter/internal/cell/wire"
)

const mounts = `21 1 253:0 / / rw,relatime shared:1 - ext4 /dev/mapper/root rw
22 21 0:5 / /dev rw,nosuid - devtmpfs udev rw
30 21 0:44 / /srv/work\040space rw,nosuid,nodev,noexec,relatime shared:9 master:2 - tmpfs tmpfs rw,size=1g
31 21 0:45 / /srv/work ro - overlay overlay rw
32 31 0:46 / /srv/work rw,noexec - tmpfs tmpfs rw
damaged line
`

func TestMountOf(t *testing.T) {
	for path, want := range map[string]struct{ point, kind string }{
		"/":                   {"/", "ext4"},
		"/srv":                {"/", "ext4"},
		"/srv/work space/a":   {"/srv/work space", "tmpfs"},
		"/srv/work":           {"/srv/work", "tmpfs"}, // the later one lies on top
		"/srv/workshop":       {"/", "ext4"},
		"/dev/shm":            {"/dev", "devtmpfs"},
		"/srv/work/a/b/c":     {"/srv/work", "tmpfs"},
		"/srv/work space":     {"/srv/work space", "tmpfs"},
		"/srv/work spaceship": {"/", "ext4"},
	} {
		if m, ok := mountOf(path, []byte(mounts)); !ok || m.point != want.point || m.kind != want.kind {
			t.Errorf("%s: %+v, want %+v", path, m, want)
		}
	}
	if _, ok := mountOf("/x", []byte("nothing")); ok {
		t.Error("a mount out of nothing")
	}
}

func TestMountOptions(t *testing.T) {
	m, _ := mountOf("/srv/work space", []byte(mounts))
	if f := mountOptions("p", m); f.Status != Pass || f.Do != "" {
		t.Errorf("%+v", f)
	}
	m, _ = mountOf("/srv/work", []byte(mounts))
	if f := mountOptions("p", m); f.Status != Pass || !strings.Contains(f.Do, "nosuid, nodev") || strings.Contains(f.Do, "noexec,") {
		t.Errorf("%+v", f)
	}
}

func TestPlainSwap(t *testing.T) {
	const head = "Filename Type Size Used Priority\n"
	for swaps, want := range map[string]int{
		"": 0, head: 0,
		head + "/dev/zram0 partition 1 0 100\n": 0,
		head + "/swapfile file 1 0 -2\n":        1,
		head + "/dev/zram0 partition 1 0 100\n/swapfile file 1 0 -2\n/dev/null partition 1 0 -3\n": 2,
	} {
		if got := plainSwap([]byte(swaps)); got != want {
			t.Errorf("%q: %d, want %d", swaps, got, want)
		}
	}
}

// A tree such as sysfs shows it: a logical volume over an encrypted disk, and one that
// lies half on a plain one.
func TestEncryptedAt(t *testing.T) {
	dir := t.TempDir()
	make := func(path, uuid string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(dir, path, "dm"), 0o700); err != nil {
			t.Fatal(err)
		}
		if uuid == "" {
			return
		}
		if err := os.WriteFile(filepath.Join(dir, path, "dm", "uuid"), []byte(uuid), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	make("crypt", "CRYPT-LUKS2-0\n")
	make("lvm", "LVM-x\n")
	make("lvm/slaves/dm-0", "CRYPT-LUKS2-0\n")
	make("half", "LVM-x\n")
	make("half/slaves/dm-0", "CRYPT-LUKS2-0\n")
	make("half/slaves/sda", "")
	make("plain", "")
	for path, want := range map[string]answer{"crypt": yes, "lvm": yes, "half": no, "plain": no, "absent": notKnown} {
		if got := encryptedAt(filepath.Join(dir, path)); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	for _, device := range []string{"overlay", "/dev/null", "/dev/absent"} {
		if got := encrypted(device); got != notKnown {
			t.Errorf("%s: %v", device, got)
		}
	}
}

func TestAttemptsAreJudged(t *testing.T) {
	const all = wire.AllProtections
	for name, c := range map[string]struct {
		late, early unix.Errno
		twice       bool
		have        wire.Protection
		want        Status
	}{
		"refused":                       {unix.EPERM, 0, false, all, Pass},
		"went through":                  {0, 0, false, all, Fail},
		"went through the filter alone": {0, unix.EACCES, true, all, Fail},
		"refused twice":                 {unix.EPERM, unix.EACCES, true, all, Pass},
		"a hole behind the filter":      {unix.EPERM, 0, true, all, Fail},
		"no wall behind the filter":     {unix.EPERM, 0, true, all &^ wire.Landlock, Pass},
		"nothing to try on":             {unix.ENOENT, unix.ENOENT, true, all, Unknown},
		"nothing to try the second on":  {unix.EPERM, unix.ENOENT, true, all, Pass},
		"an error that is no kernel's":  {1 << 20, 0, false, all, Unknown},
	} {
		f := attempted(cell.Attempted{Attempt: wire.ReadFile, Refused: c.late}, cell.Attempted{Refused: c.early}, c.twice, c.have)
		if f.Status != c.want {
			t.Errorf("%s: %+v, want %s", name, f, c.want)
		}
		if f.Status != Pass && f.Do == "" {
			t.Errorf("%s: nothing to do", name)
		}
	}
}

func TestProtectionsAreJudged(t *testing.T) {
	missing := wire.AllProtections &^ (wire.Landlock | wire.LandlockNet)
	for _, f := range protections(missing, wire.LandlockNet) {
		want := Pass
		if f.Check == "landlock" {
			want = Fail
		}
		if f.Status != want || (f.Do == "") != (f.Found == "in force") {
			t.Errorf("%+v", f)
		}
	}
}

// Every wall has words for what brings it back.
func TestEveryWallCanBeMended(t *testing.T) {
	for _, name := range wire.AllProtections.Names() {
		if bit, _ := wire.ParseProtection(name); mending[bit] == "" {
			t.Errorf("nothing to do about %s", name)
		}
	}
}

func find(t *testing.T, fs []Finding, check string) Finding {
	t.Helper()
	for _, f := range fs {
		if f.Check == check {
			return f
		}
	}
	t.Fatalf("no finding %q in %+v", check, fs)
	return Finding{}
}

func TestDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	fs := Directory("p", dir, 1, false)
	if f := find(t, fs, "permissions"); f.Status != Pass {
		t.Errorf("%+v", f)
	}
	find(t, fs, "mount options")
	if f := find(t, fs, "free space"); f.Status != Pass {
		t.Errorf("%+v", f)
	}
	if f := find(t, Directory("p", dir, math.MaxInt64, false), "free space"); f.Status != Fail {
		t.Errorf("%+v", f)
	}
	if err := os.Chmod(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	if f := find(t, Directory("p", dir, 1, false), "permissions"); f.Status != Fail || !strings.Contains(f.Found, "0750") {
		t.Errorf("%+v", f)
	}
	later := Directory("p", filepath.Join(dir, "not", "yet"), 1, false)
	if f := find(t, later, "permissions"); f.Status != Unknown {
		t.Errorf("%+v", f)
	}
	find(t, later, "mount options")
}

func TestKeyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	if f := File("keys", "k", path); f.Status != Unknown {
		t.Errorf("%+v", f)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if f := File("keys", "k", path); f.Status != Pass {
		t.Errorf("%+v", f)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if f := File("keys", "k", path); f.Status != Fail {
		t.Errorf("%+v", f)
	}
	if f := File("keys", "k", filepath.Dir(path)); f.Status != Fail {
		t.Errorf("a directory: %+v", f)
	}
}

func TestClocks(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, c := range map[string]struct {
		f    Finding
		want Status
	}{
		"before the build": {find(t, Clock(now, now.Add(time.Second)), "date"), Fail},
		"after it":         {find(t, Clock(now, now.Add(-time.Hour)), "date"), Pass},
		"build unknown":    {find(t, Clock(now, time.Time{}), "date"), Pass},
		"at the slack":     {Beside("x", now, now.Add(ClockSlack)), Pass},
		"over it":          {Beside("x", now, now.Add(ClockSlack+time.Second)), Fail},
		"behind it":        {Beside("x", now.Add(ClockSlack+time.Second), now), Fail},
	} {
		if c.f.Status != c.want {
			t.Errorf("%s: %+v", name, c.f)
		}
	}
}

func TestMemory(t *testing.T) {
	const gib = 1 << 30
	for name, c := range map[string]struct {
		host  int64
		cells int
		want  Status
	}{
		"fits":     {8 * gib, 7, Pass},
		"does not": {8*gib - 8, 7, Fail},
		"unknown":  {0, 1, Unknown},
	} {
		if f := Memory(c.host, gib, c.cells); f.Status != c.want {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestReport(t *testing.T) {
	r := NewReport([]Finding{
		Passed("a", "x", "well"), advised("a", "y", false, "so so", "polish it"),
		Failed("b", "x", "broken", "mend it"), NotKnown("c", "x", "dark", "light it"),
	})
	if r.Passed != 2 || r.Failed != 1 || r.Unknown != 1 {
		t.Errorf("%+v", r)
	}
	var text, raw bytes.Buffer
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"fail     b  x  broken", "To be mended:\n  b, x: mend it", "Not known:\n  c, x: light it",
		"Could be better:\n  a, y: polish it", "2 passed, 1 failed, 1 unknown"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
	if err := r.WriteJSON(&raw); err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(raw.Bytes(), &back); err != nil || back.Schema != Schema || len(back.Findings) != 4 {
		t.Errorf("%v, %+v", err, back)
	}
}

// What is to last is not to lie in memory, and cannot be told to go there; working copies may.
func TestKeepsSecrets(t *testing.T) {
	for name, c := range map[string]struct {
		kind    string
		lasting bool
		status  Status
		do      string
		never   string
	}{
		"log in memory":     {"tmpfs", true, Pass, "Move it to a disk", "tmpfs"},
		"log on a disk":     {"nfs4", true, Unknown, "Encrypt the disk", "tmpfs"},
		"copies on a disk":  {"nfs4", false, Unknown, "point workdir at a tmpfs", "Move"},
		"copies in a tmpfs": {"tmpfs", false, Pass, "", "Move"},
	} {
		f := keepsSecrets("p", mount{kind: c.kind, source: "host:/x"}, c.lasting)
		if f.Check == "in memory" && f.Do != "" { // this host has swap
			c.do = "swap"
		}
		if f.Status != c.status || !strings.Contains(f.Do, c.do) || strings.Contains(f.Do, c.never) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// A tmpfs has no quota, but the size of its mount.
func TestQuotaOfMemory(t *testing.T) {
	const dir = "/dev/shm"
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if m, ok := mountOf(dir, mounts); err != nil || !ok || m.kind != "tmpfs" {
		t.Skip("there is no tmpfs")
	}
	if f := quota("p", dir, 1); f.Status != Pass {
		t.Errorf("%+v", f)
	}
}
