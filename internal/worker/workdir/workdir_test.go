package workdir_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"blotter/internal/reason"
	"blotter/internal/worker/workdir"
)

func open(t *testing.T) (*workdir.Root, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "work")
	r, err := workdir.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r, dir
}

func create(t *testing.T, r *workdir.Root, id string) *workdir.Copy {
	t.Helper()
	gate, err := r.Reserve()
	if err != nil {
		t.Fatal(err)
	}
	defer gate.Release()
	c, err := r.Create(id)
	if err != nil {
		t.Fatal(err)
	}
	w, err := c.Writer()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.WriteString("a letter"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCopyIsPrivateAndGoesAway(t *testing.T) {
	r, dir := open(t)
	id := workdir.NewID()
	c := create(t, r, id)
	for path, want := range map[string]fs.FileMode{dir: 0o700, filepath.Join(dir, id): 0o700, filepath.Join(dir, id, "source"): 0o600} {
		if st, err := os.Stat(path); err != nil || st.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want mode %v", path, st, err, want)
		}
	}
	f, err := c.Reader()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("x"); err == nil {
		t.Error("the reader's descriptor can write")
	}
	if _, err := c.Writer(); reason.Of(err) != reason.WorkdirFailed {
		t.Errorf("a second writer: %v", err)
	}
	for range 2 {
		if err := c.Remove(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, id)); !os.IsNotExist(err) {
		t.Errorf("the directory stayed: %v", err)
	}
}

func TestCreateRefuses(t *testing.T) {
	r, dir := open(t)
	id := workdir.NewID()
	if err := os.Mkdir(filepath.Join(dir, id), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{id, "../../etc", "", "a/b", "0123"} {
		if _, err := r.Create(name); reason.Of(err) != reason.WorkdirFailed {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, id)); err != nil {
		t.Errorf("a refused Create removed what stood there: %v", err)
	}
}

func TestOpenRootRefusesAnOpenDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := workdir.OpenRoot(dir); reason.Of(err) != reason.WorkdirFailed {
		t.Errorf("mode 0755: %v", err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if _, err := workdir.OpenRoot(link); reason.Of(err) != reason.WorkdirFailed {
		t.Errorf("a link: %v", err)
	}
}

// sweep returns the ids reported gone.
func sweep(t *testing.T, r *workdir.Root, known ...string) []string {
	t.Helper()
	var gone []string
	err := r.Sweep(func() ([]string, error) { return known, nil }, func(id string) error {
		gone = append(gone, id)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return gone
}

func TestSweepSparesWhatIsHeld(t *testing.T) {
	r, dir := open(t)
	held := workdir.NewID()
	c := create(t, r, held)
	defer c.Remove()
	never := workdir.NewID() // staged, then killed before its directory was made
	if got := sweep(t, r, held, never); !slices.Equal(got, []string{never}) {
		t.Errorf("gone: %v, want %v", got, never)
	}
	if _, err := os.Stat(filepath.Join(dir, held, "source")); err != nil {
		t.Errorf("a held copy was removed: %v", err)
	}
}

// The janitor gives way to creators, who may be frozen with the gate in their hand.
func TestSweepGivesWayToCreators(t *testing.T) {
	r, _ := open(t)
	gate, err := r.Reserve()
	if err != nil {
		t.Fatal(err)
	}
	id := workdir.NewID()
	if got := sweep(t, r, id); got != nil {
		t.Errorf("swept %v under a creator's hands", got)
	}
	gate.Release()
	if got := sweep(t, r, id); !slices.Equal(got, []string{id}) {
		t.Errorf("gone: %v, want %v", got, id)
	}
}

// A killed process leaves a directory behind, and its lock with it.
func TestSweepRemovesWhatAKilledProcessLeft(t *testing.T) {
	if dir := os.Getenv("WORKDIR_TEST_ROOT"); dir != "" {
		r, err := workdir.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		create(t, r, os.Getenv("WORKDIR_TEST_ID"))
		p, err := os.FindProcess(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Kill(); err != nil {
			t.Fatal(err)
		}
		select {}
	}
	r, dir := open(t)
	id := workdir.NewID()
	child := exec.Command(os.Args[0], "-test.run=^TestSweepRemovesWhatAKilledProcessLeft$")
	child.Env = append(os.Environ(), "WORKDIR_TEST_ROOT="+dir, "WORKDIR_TEST_ID="+id)
	if err := child.Run(); err == nil {
		t.Fatal("the child was not killed")
	}
	if _, err := os.Stat(filepath.Join(dir, id, "source")); err != nil {
		t.Fatalf("the child left nothing: %v", err)
	}
	if got := sweep(t, r, id); !slices.Equal(got, []string{id}) {
		t.Errorf("gone: %v, want %v", got, id)
	}
	if _, err := os.Stat(filepath.Join(dir, id)); !os.IsNotExist(err) {
		t.Errorf("the leftover stayed: %v", err)
	}
}
