package worker

import (
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/vault"
	"blotter/receipt"
)

// Actors of events that no person caused.
const (
	actorWorker  = "worker"
	actorJanitor = "janitor"
)

// event begins an event. Its time is this process's: context, not order.
func event(kind receipt.Kind, actor string, job document.ID) receipt.Event {
	return receipt.Event{
		Schema: receipt.EventSchema, Kind: kind, Actor: actor, Job: string(job), Time: receipt.FormatTime(time.Now()),
	}
}

func about(e receipt.Event, j queue.Job) receipt.Event {
	e.Tenant = string(j.Tenant)
	e.Input = &receipt.Input{SHA256: j.Input.String(), Bytes: j.Bytes}
	e.Policy = policyOf(j.Policy)
	e.State, e.Attempt = string(j.State), int64(j.Attempt)
	return e
}

func policyOf(p queue.PolicyRef) *receipt.Policy {
	return &receipt.Policy{Name: p.Name, Version: p.Version, SHA256: p.Digest.String()}
}

// Received is the event of a job's intake: which input, under which policy, asked for
// by whom.
func Received(j queue.Job, actor string, code receipt.Code) receipt.Event {
	e := about(event(receipt.Received, actor, j.ID), j)
	e.State, e.Code = string(document.Queued), &code
	return e
}

func (w *Worker) claimed(j queue.Job) receipt.Event {
	return about(event(receipt.Claimed, actorWorker, j.ID), j)
}

func (w *Worker) retried(j queue.Job, why reason.Code) receipt.Event {
	e := about(event(receipt.Retried, actorWorker, j.ID), j)
	e.State, e.Reason = string(document.Queued), string(why)
	return e
}

func leaseExpired(j queue.Job) receipt.Event {
	e := about(event(receipt.LeaseExpired, actorJanitor, j.ID), j)
	e.State = string(document.Queued)
	return e
}

const workingCopy = "working_copy"

func (w *Worker) staged(j queue.Job, id string, expires time.Time) receipt.Event {
	e := event(receipt.Staged, actorWorker, j.ID)
	e.Artifact = &receipt.Artifact{ID: id, Class: workingCopy, Expires: receipt.FormatTime(expires)}
	return e
}

func (w *Worker) extended(job document.ID, id string, expires time.Time) receipt.Event {
	e := event(receipt.Extended, actorWorker, job)
	e.Artifact = &receipt.Artifact{ID: id, Class: workingCopy, Expires: receipt.FormatTime(expires)}
	return e
}

func (w *Worker) unstaged(job document.ID, id string) receipt.Event {
	return unstagedBy(actorWorker, job, id)
}

func unstagedBy(actor string, job document.ID, id string) receipt.Event {
	e := event(receipt.Unstaged, actor, job)
	e.Artifact = &receipt.Artifact{ID: id, Class: workingCopy}
	return e
}

func keyDestroyed(job document.ID, c vault.Class) receipt.Event {
	e := event(receipt.Deleted, actorWorker, job)
	e.Artifact = &receipt.Artifact{ID: string(job), Class: string(c)}
	return e
}

// endKind is the kind of the event that ends a job.
func endKind(s document.State) receipt.Kind {
	switch s {
	case document.Rejected:
		return receipt.RejectedKind
	case document.Dead:
		return receipt.DeadKind
	}
	return receipt.RedactedKind
}
