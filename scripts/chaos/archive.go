package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"blotter/internal/audit"
	"blotter/internal/document"
	"blotter/internal/objectstore"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/vault"
	"blotter/receipt"
)

// archive is what the nodes left: the log, the jobs and the bucket.
type archive struct {
	fleet   *fleet
	load    *load
	checked *checked
	trust   receipt.TrustList
	vault   *vault.Vault
	objects *objectstore.Store

	trails  map[string][]receipt.Event // by job, in the order of the log
	uploads map[string]string          // announced uploads by job: "" or "deleted"
	copies  map[string]int             // working copies made, less those removed
	blobs   map[document.ID][]vault.Ref
}

func (a *archive) open(ctx context.Context, trust string) error {
	a.trails, a.uploads, a.copies, a.blobs = map[string][]receipt.Event{}, map[string]string{}, map[string]int{}, map[document.ID][]vault.Ref{}
	body, err := os.ReadFile(trust)
	if err != nil {
		return err
	}
	if a.trust, err = receipt.ParseTrustList(body); err != nil {
		return err
	}
	if a.vault, err = vault.Open(ctx, a.fleet.bucket.url, a.fleet.stationKey(), a.fleet.db); err != nil {
		return err
	}
	if a.objects, err = objectstore.Open(ctx, a.fleet.bucket.url); err != nil {
		return errors.Join(err, a.vault.Close())
	}
	refs, err := a.vault.List(ctx, "")
	for _, r := range refs {
		a.blobs[r.Job] = append(a.blobs[r.Job], r)
	}
	return err
}

func (a *archive) close() {
	a.vault.Close()
	a.objects.Close()
}

func (a *archive) violated(format string, args ...any) { a.fleet.violations.add(format, args...) }

// checkLog walks the log, which must be one tree without gaps that every checkpoint seen on
// the way is a prefix of, and sorts its events by job.
func (a *archive) checkLog(ctx context.Context, heads []head) error {
	db := a.fleet.db
	size, err := audit.Check(ctx, db, a.trust)
	if err != nil {
		a.violated("the log does not verify at entry %d: %v", size, err)
		return nil
	}
	for _, h := range heads {
		signed, err := receipt.VerifyCheckpoint(h.signed, a.trust)
		if err != nil {
			a.violated("a checkpoint of size %d does not verify: %v", h.size, err)
			continue
		}
		root, err := tlog.TreeHash(signed.Size, tlog.HashReaderFunc(db.ReadHashes))
		if err != nil || root != signed.Root || signed.Size > size {
			a.violated("the log of size %d does not extend a checkpoint of size %d: %v", size, signed.Size, err)
		}
	}
	a.checked.heads, a.checked.events = len(heads), size
	for n := range size {
		entry, err := db.Entry(ctx, n)
		if err != nil {
			return err
		}
		opened, err := receipt.Open(entry.Envelope)
		if err != nil {
			return err
		}
		a.sort(opened.Event)
	}
	return nil
}

func (a *archive) sort(e receipt.Event) {
	c := a.checked
	upload := e.Artifact != nil && vault.Class(e.Artifact.Class) == vault.Upload
	switch e.Kind {
	case receipt.Staged:
		if upload {
			a.uploads[e.Job] = ""
			return
		}
		a.copies[e.Artifact.ID]++
	case receipt.Unstaged:
		a.copies[e.Artifact.ID]--
	case receipt.Deleted:
		if upload {
			a.uploads[e.Job] = "deleted"
		}
	case receipt.Claimed:
		c.claims++
	case receipt.LeaseExpired:
		c.expired++
	case receipt.Retried:
		c.retries++
	case receipt.Replayed:
		c.replays++
	}
	if e.Job != "" {
		a.trails[e.Job] = append(a.trails[e.Job], e)
	}
}

// checkJobs compares what clients were told, what the log says, what the store remembers and
// what the same document came to when nothing failed.
func (a *archive) checkJobs(ctx context.Context, results string) error {
	calm := map[int]string{}
	known := map[string]bool{}
	for _, s := range a.load.jobs {
		known[s.id] = true
		a.checked.jobs++
		j, err := a.fleet.db.Job(ctx, document.ID(s.id))
		if err != nil {
			a.violated("job %s was accepted and is lost: %v", s.id, err)
			continue
		}
		a.checkEnd(s, j)
		if j.State == document.Cancelled {
			a.checked.cancelled++
			if !s.cancelled {
				a.violated("job %s was cancelled, which nobody asked for", s.id)
			}
			continue
		}
		got, images, err := signature(filepath.Join(results, s.id, "result.json"))
		if err != nil {
			a.violated("job %s: %v", s.id, err)
			continue
		}
		a.checkImages(j, images)
		if s.calm {
			calm[s.document] = got
		}
		if want := calm[s.document]; got != want {
			a.violated("job %s, of %s, came to\n%s\nundisturbed to\n%s", s.id, a.load.documents[s.document].name, got, want)
		}
	}
	for id, trail := range a.trails {
		if !known[id] && slices.ContainsFunc(trail, func(e receipt.Event) bool { return e.Kind == receipt.Received }) {
			a.violated("job %s is in the log, and no client was told of it", id)
		}
	}
	for id, end := range a.uploads {
		if !known[id] && end == "" {
			a.violated("the upload %s became no job, and its end is not in the log", id)
		}
	}
	for id, n := range a.copies {
		if n != 0 {
			a.violated("working copy %s was made and not removed, or removed twice (%+d)", id, n)
		}
	}
	return nil
}

// checkEnd demands of a job that it ended once: again only after somebody replayed it.
func (a *archive) checkEnd(s *sent, j queue.Job) {
	received, ended := 0, false
	last := int64(-1)
	for _, e := range a.trails[s.id] {
		switch e.Kind {
		case receipt.Received:
			received++
		case receipt.RedactedKind, receipt.RejectedKind, receipt.DeadKind, receipt.Cancelled:
			if ended {
				a.violated("job %s ended twice, with events %d and %d:\n%s", s.id, last, e.Sequence, a.trail(s.id))
			}
			ended, last = true, e.Sequence
		case receipt.Replayed:
			ended = false
		case receipt.Claimed, receipt.LeaseExpired, receipt.Retried:
			if ended {
				a.violated("job %s went on after its end:\n%s", s.id, a.trail(s.id))
			}
			if e.Kind == receipt.Retried && reason.Must(reason.Code(e.Reason)).Class == reason.Permanent {
				a.violated("job %s was tried again after %s, which is permanent", s.id, e.Reason)
			}
		}
	}
	if received != 1 || !ended || !j.State.Ended() || j.FinalSeq != last {
		a.violated("job %s is %s, received %d times, its final event %d:\n%s", s.id, j.State, received, j.FinalSeq, a.trail(s.id))
	}
	if s.event > last || s.event < 0 {
		a.violated("of job %s a client was told that event %d ended it, and it was %d", s.id, s.event, last)
	}
	switch j.State {
	case document.Released, document.AwaitingReview:
		a.checked.released++
	case document.Rejected:
		a.checked.rejected++
	}
}

// trail prints what the log says of a job.
func (a *archive) trail(id string) string {
	var out strings.Builder
	for _, e := range a.trails[id] {
		fmt.Fprintf(&out, "  %6d %s %-13s %s attempt %d %s %s\n", e.Sequence, e.Time, e.Kind, e.Actor, e.Attempt, e.State, e.Reason)
	}
	return out.String()
}

// signature is what a document came to, without what differs between two runs: job, times.
func signature(path string) (text string, images []int, err error) {
	body, err := os.ReadFile(path)
	if err != nil {
		return "", nil, err
	}
	var r receipt.Result
	if err := json.Unmarshal(body, &r); err != nil {
		return "", nil, err
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s input %s", r.State, r.Reason, r.Input.SHA256)
	for _, asset := range r.Assets {
		fmt.Fprintf(&out, "\nimage %d: %s %s pixels %s, %d boxes", asset.Index, asset.Status, asset.Reason, asset.SHA256, len(asset.Boxes))
		if asset.Derivative != nil {
			images = append(images, int(asset.Index))
			fmt.Fprintf(&out, ", redacted %s", asset.Derivative.SHA256)
		}
	}
	return out.String(), images, nil
}

// checkImages demands that the bucket holds one redacted image for each that the result
// names, of the attempt that ended the job, and no other.
func (a *archive) checkImages(j queue.Job, images []int) {
	var have []int
	for _, r := range a.blobs[j.ID] {
		if r.Class == vault.Derivative {
			have = append(have, r.Index)
			if r.Token != j.Token {
				a.violated("job %s, ended under token %d, has a redacted image of token %d", j.ID, j.Token, r.Token)
			}
		}
	}
	slices.Sort(have)
	if !slices.Equal(have, images) {
		a.violated("job %s: its result names the redacted images %v, the bucket has %v", j.ID, images, have)
	}
	a.checked.images += len(images)
}

// checkBlobs demands that every object belongs to a remembered job and can be read, and that
// there is nothing else but the sequencer's records.
func (a *archive) checkBlobs(ctx context.Context) error {
	for id, refs := range a.blobs {
		for _, r := range refs {
			a.checked.blobs++
			if _, err := a.fleet.db.Job(ctx, id); err != nil {
				a.violated("%s %d-%d belongs to job %s, which is not there: %v", r.Class, r.Token, r.Index, id, err)
			} else if _, err := a.fleet.db.Key(ctx, id, r.Class); err != nil {
				a.violated("%s %d-%d of job %s has no key: %v", r.Class, r.Token, r.Index, id, err)
			}
		}
	}
	others := 0
	err := a.objects.List(ctx, "", func(key string) error {
		if !strings.HasPrefix(key, "audit/records/") {
			others++
		}
		return nil
	})
	if others != a.checked.blobs {
		a.violated("the bucket holds %d objects beside the sequencer's records, of which %d are blobs of jobs", others, a.checked.blobs)
	}
	return err
}
