package intake_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blotter/client"
	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/receipt"
)

func TestClientSendsDocuments(t *testing.T) {
	o := newOffice(t, nil)
	c := o.client(north, access.Admin)
	text := []byte("the bytes of a document")
	sum := document.Sum(text).String()
	hints := &client.Hints{Names: []string{"Iris Example"}, Dates: []string{"1980-02-03"}}
	for name, send := range map[string]struct {
		from io.Reader
		with client.UploadOptions
	}{
		"raw":              {bytes.NewReader(text), client.UploadOptions{Lane: "interactive", Originals: true, Policy: "default", SHA256: sum}},
		"raw, read once":   {io.MultiReader(bytes.NewReader(text)), client.UploadOptions{}},
		"form":             {bytes.NewReader(text), client.UploadOptions{Lane: "interactive", Originals: true, Hints: hints}},
		"form, read once":  {io.MultiReader(bytes.NewReader(text)), client.UploadOptions{Hints: hints, SHA256: sum}},
		"from the middle":  {seekable("before it "+string(text), 10), client.UploadOptions{Hints: hints}},
		"a key of his own": {bytes.NewReader(text), client.UploadOptions{IdempotencyKey: "order-66"}},
	} {
		got, err := c.Upload(t.Context(), send.from, send.with)
		if err != nil || got.SHA256 != sum || got.Bytes != int64(len(text)) || got.State != "queued" || got.ID == "" {
			t.Errorf("%s: %+v, %v", name, got, err)
			continue
		}
		if j, err := c.Job(t.Context(), got.ID); err != nil || (send.with.Lane != "" && j.Lane != send.with.Lane) {
			t.Errorf("%s: the job is %+v, %v", name, j, err)
		}
	}
	first, err := c.Upload(t.Context(), bytes.NewReader(text), client.UploadOptions{IdempotencyKey: "again"})
	o.must(err)
	if second, err := c.Upload(t.Context(), bytes.NewReader(text), client.UploadOptions{IdempotencyKey: "again"}); err != nil || second != first {
		t.Errorf("the same again: %+v, %v; want %+v", second, err, first)
	}
	_, err = c.Upload(t.Context(), strings.NewReader("other"), client.UploadOptions{IdempotencyKey: "again"})
	if !client.Is(err, string(reason.APIKeyReused)) {
		t.Errorf("another document under the same key: %v", err)
	}
	_, err = c.Upload(t.Context(), strings.NewReader("other"), client.UploadOptions{SHA256: sum})
	if !client.Is(err, string(reason.SourceDigest)) {
		t.Errorf("other bytes than promised: %v", err)
	}
	if _, err := c.Upload(t.Context(), io.MultiReader(bytes.NewReader(text)), client.UploadOptions{Hints: hints}); err == nil {
		t.Error("a form whose digest is not known was sent")
	}
}

func seekable(text string, from int64) io.Reader {
	r := strings.NewReader(text)
	_, _ = r.Seek(from, io.SeekStart) // a string's reader always can
	return r
}

func TestClientRefers(t *testing.T) {
	o := newOffice(t, nil)
	c := o.client(north, access.Client)
	ref := client.Reference{Source: "file://" + filepath.Join(o.source, "a.pdf"), SHA256: document.Sum(nil).String(), Lane: "bulk"}
	got, err := c.Refer(t.Context(), ref, "")
	if err != nil || got.SHA256 != ref.SHA256 || got.Bytes != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	ref.Source = "file:///etc/passwd"
	if _, err := c.Refer(t.Context(), ref, ""); !client.Is(err, string(reason.SourceOutside)) {
		t.Errorf("outside: %v", err)
	}
}

func TestClientRedacts(t *testing.T) {
	o := newOffice(t, nil)
	c := o.client(north, access.Admin)
	got, err := c.Redact(t.Context(), strings.NewReader("an image"))
	if err != nil || !bytes.Equal(got.PNG, picture) {
		t.Fatalf("%d bytes, %v", len(got.PNG), err)
	}
	if j, err := c.Job(t.Context(), got.Job); err != nil || j.State != "released" {
		t.Errorf("the job %q: %+v, %v", got.Job, j, err)
	}
	_, err = c.Redact(t.Context(), bytes.NewReader(make([]byte, 2<<20)))
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Reason != string(reason.APITooLarge) || refused.Async == "" {
		t.Errorf("too large: %v", err)
	}
}

func TestClientSavesWhatVerifies(t *testing.T) {
	o := newOffice(t, nil)
	c := o.client(north, access.Reader)
	id := o.ended(north, document.Released, "")
	dir := filepath.Join(t.TempDir(), "out")
	o.must(c.Save(t.Context(), string(id), dir))
	var list bytes.Buffer
	o.must(c.Trust(t.Context(), &list))
	trust, err := receipt.ParseTrustList(list.Bytes())
	o.must(err)
	report, err := receipt.Verify(o.file(dir, "receipt.json"), trust)
	o.must(err)
	o.must(receipt.FirstFailure(receipt.CheckResult(report.Event, o.file(dir, "result.json"), os.DirFS(dir))))
	if report.Event.Job != string(id) || !bytes.Equal(o.file(dir, "asset-0001.png"), picture) {
		t.Errorf("saved %+v", report.Event)
	}
	if err := c.Save(t.Context(), string(id), dir); !errors.Is(err, os.ErrExist) {
		t.Errorf("a second time: %v", err)
	}
	o.put(id, "derivative", []byte("other pixels"))
	other := filepath.Join(filepath.Dir(dir), "other")
	if err := c.Save(t.Context(), string(id), other); err == nil {
		t.Error("an image that is not the result's was saved")
	}
	if left, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func (o *office) file(dir, name string) []byte {
	o.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	o.must(err)
	return b
}

func TestClientListsAllPages(t *testing.T) {
	o := newOffice(t, nil)
	c := o.client(access.Everyone, access.Operator)
	var want []string
	for range 5 {
		want = append(want, string(o.enqueue(north, document.Bulk)))
		o.enqueue(south, document.Interactive)
	}
	slices.Reverse(want)
	var got []string
	for j, err := range c.Jobs(t.Context(), client.Filter{Tenant: "north", State: "queued", Lane: "bulk", Page: 2}) {
		o.must(err)
		got = append(got, j.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("listed %v, want %v", got, want)
	}
	for _, err := range c.Jobs(t.Context(), client.Filter{State: "none"}) {
		if !client.Is(err, string(reason.APIRequest)) {
			t.Errorf("a state that is none: %v", err)
		}
	}
}

func TestClientFollowsAndWaits(t *testing.T) {
	o := newOffice(t, nil)
	c := o.client(north, access.Reader)
	id := o.enqueue(north, document.Bulk)
	waited := make(chan client.Job, 1)
	go func() {
		defer close(waited)
		j, err := c.Wait(t.Context(), string(id))
		if err != nil {
			t.Error(err)
		}
		waited <- j
	}()
	<-o.watches
	o.seal()
	var kinds []receipt.Kind
	for e, err := range c.Events(t.Context(), string(id), -1) {
		o.must(err)
		switch kinds = append(kinds, e.Kind); e.Kind {
		case receipt.Received:
			o.finish(o.claim(id), document.Released, "")
			o.seal()
		}
	}
	if want := []receipt.Kind{receipt.Received, receipt.Claimed, receipt.RedactedKind}; !slices.Equal(kinds, want) {
		t.Errorf("events %v, want %v", kinds, want)
	}
	if j := <-waited; j.State != "released" {
		t.Errorf("waited for %+v", j)
	}
	for e, err := range c.Events(t.Context(), string(id), o.job(id).FinalSeq) {
		t.Errorf("after the last: %+v, %v", e, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := c.Wait(ctx, string(o.enqueue(north, document.Bulk))); !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that was given up: %v", err)
	}
}

func TestClientActs(t *testing.T) {
	o := newOffice(t, nil)
	c := o.client(access.Everyone, access.Operator)
	if j, err := c.Cancel(t.Context(), string(o.enqueue(north, document.Bulk))); err != nil || j.State != "sealing" {
		t.Errorf("cancelled: %+v, %v", j, err)
	}
	if j, err := c.Replay(t.Context(), string(o.ended(north, document.Dead, reason.QueueAttempts))); err != nil || j.State != "queued" {
		t.Errorf("replayed: %+v, %v", j, err)
	}
	unread := string(o.ended(north, document.Dead, reason.SourceUnreadable))
	all, err := c.ReplayAll(t.Context(), client.Filter{Reason: string(reason.SourceUnreadable), Tenant: string(north), Page: 10}, "")
	if err != nil || len(all.Jobs) != 1 || all.Jobs[0].ID != unread || all.Next != "" {
		t.Errorf("replayed by reason: %+v, %v", all, err)
	}
	dead := string(o.ended(north, document.Dead, reason.QueueAttempts))
	if _, err := c.Discard(t.Context(), dead); err != nil {
		t.Error(err)
	}
	_, err = c.Discard(t.Context(), dead)
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Status != 409 || refused.Owner != "operator" || !strings.Contains(err.Error(), "job.not_dead") {
		t.Errorf("discarded twice: %v", err)
	}
	if err := c.Derivative(t.Context(), dead, 1, io.Discard); !client.Is(err, string(reason.APIForbidden)) {
		t.Errorf("an operator fetches: %v", err)
	}
	if _, err := json.Marshal(refused.Problem); err != nil {
		t.Error(err)
	}
	if _, err := c.Job(t.Context(), "../../docs"); !client.Is(err, string(reason.APINotFound)) {
		t.Errorf("an identifier that is none: %v", err)
	}
}
