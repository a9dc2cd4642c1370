package intake

import (
	"github.com/danielgtaylor/huma/v2"

	"blotter/client"
	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/receipt"
)

// jobOperations lists what shows and changes jobs, in the order of the page.
func (a *API) jobOperations() []operation {
	return append(append(a.watching(), a.fetching()...), a.operating()...)
}

func (a *API) watching() []operation {
	return []operation{{
		pattern: "GET /v1/jobs/{id}", right: access.Read, serve: a.showJob,
		id: "getJob", tag: tagJobs, summary: "Show a job",
		text: "State, assets, timings against budgets, and the reason with the team it calls. With `Prefer: wait=N` the answer " +
			"comes once the job has ended, after N seconds at the latest, 30 at most.",
		params: []*huma.Param{jobID(), preferWait(), ifNoneMatch()},
		success: []success{
			{200, "The job as it stands now", "application/json", client.Job{}, []string{"ETag", "Preference-Applied"}},
			{status: 304, text: "It is what If-None-Match names", headers: []string{"ETag"}},
		},
		reasons: []reason.Code{reason.APINotFound, reason.APIWaiters, reason.VaultDamaged},
		curl:    `curl -H "Authorization: Bearer $KEY" -H "Prefer: wait=30" "$BLOTTER/v1/jobs/$JOB"`,
	}, {
		pattern: "GET /v1/jobs", right: access.Read, serve: a.listJobs,
		id: "listJobs", tag: tagJobs, summary: "List jobs",
		text: "The latest first. A key of one tenant sees the jobs of that tenant only. Images are left out here; ask for the one job. " +
			"Where `next` is not empty, ask again with it as `cursor`.",
		params: append(listParams(), ifNoneMatch()),
		success: []success{
			{200, "One page of jobs", "application/json", client.Jobs{}, []string{"ETag"}},
			{status: 304, text: "It is what If-None-Match names", headers: []string{"ETag"}},
		},
		reasons: []reason.Code{reason.APIRequest, reason.APIForbidden, reason.VaultDamaged},
		curl:    `curl -H "Authorization: Bearer $KEY" "$BLOTTER/v1/jobs?state=rejected&limit=20"`,
	}, {
		pattern: "GET /v1/jobs/{id}/events", right: access.Read, serve: a.events,
		id: "getEvents", tag: tagJobs, summary: "Follow a job's signed events",
		text: "Server-sent events: `id` is the event's number in the log, `event` its kind, `data` the signed event as JSON. Those of the " +
			"past come first. The stream ends with `event: end` once the job has ended. To go on after an interruption, send the " +
			"last id as `Last-Event-ID`.",
		params: []*huma.Param{jobID(), {
			Name: "Last-Event-ID", In: "header", Description: "Number of the last event that was received",
			Schema: eventNumber(),
		}, {
			Name: "after", In: "query", Description: "The same, for clients that cannot send the header; the header counts first",
			Schema: eventNumber(),
		}},
		success: []success{
			{status: 200, text: "The events, each as one message", content: "text/event-stream", schema: &huma.Schema{Type: huma.TypeString}},
			{status: 204, text: "The job has ended, and no event came after the one named"},
		},
		reasons: []reason.Code{reason.APIRequest, reason.APINotFound, reason.APIWaiters, reason.VaultDamaged},
		curl:    `curl -N -H "Authorization: Bearer $KEY" "$BLOTTER/v1/jobs/$JOB/events"`,
	}, {
		pattern: "DELETE /v1/jobs/{id}", right: access.Cancel,
		serve: a.acting(a.Store.Cancel, receipt.Cancelled, document.Cancelled, reason.JobCancelled),
		id:    "cancelJob", tag: tagJobs, summary: "Cancel a job",
		text:    "A job that waits ends at once; one that is worked on has its confined process killed. Nothing of it is handed out.",
		params:  []*huma.Param{jobID()},
		success: []success{{200, "The job as it stands now; its end is being signed", "application/json", client.Job{}, []string{"ETag"}}},
		reasons: []reason.Code{reason.APINotFound, reason.JobEnded},
		curl:    `curl -X DELETE -H "Authorization: Bearer $KEY" "$BLOTTER/v1/jobs/$JOB"`,
	}}
}

// told are the reasons for which what is on record of a job may not be had; images, which
// lie in the vault, have some more.
var (
	told   = []reason.Code{reason.APINotFound, reason.JobNotEnded, reason.JobNoResult, reason.VaultDamaged, reason.AuditUnavailable}
	images = append([]reason.Code{reason.VaultKeyGone, reason.VaultUnavailable}, told...)
)

var partHeaders = []string{"Content-Digest", "Content-Disposition", "Content-Length"}

func (a *API) fetching() []operation {
	return []operation{{
		pattern: "GET /v1/jobs/{id}/result", right: access.Fetch, serve: a.whole(resultFile, a.Results.Result),
		id: "getResult", tag: tagResults, summary: "Fetch result.json",
		text:    "What became of every image. Save it beside the receipt: `blotter verify` compares the two.",
		params:  []*huma.Param{jobID()},
		success: []success{{200, "result.json", "application/json", receipt.Result{}, partHeaders}},
		reasons: told,
		curl:    `curl -OJ -H "Authorization: Bearer $KEY" "$BLOTTER/v1/jobs/$JOB/result"`,
	}, {
		pattern: "GET /v1/jobs/{id}/receipt", right: access.Fetch, serve: a.whole(receiptFile, a.Results.Receipt),
		id: "getReceipt", tag: tagResults, summary: "Fetch the receipt",
		text:    "The signed event that ended the job, with its proof that it stands in the log. It verifies offline, byte for byte.",
		params:  []*huma.Param{jobID()},
		success: []success{{200, "receipt.json", "application/json", jsonObject("A receipt of the schema " + receipt.Schema), partHeaders}},
		reasons: told,
		curl:    `curl -OJ -H "Authorization: Bearer $KEY" "$BLOTTER/v1/jobs/$JOB/receipt"`,
	}, {
		pattern: "GET /v1/jobs/{id}/assets/{n}/derivative", right: access.Fetch, serve: a.derivative,
		id: "getDerivative", tag: tagResults, summary: "Fetch a redacted image",
		params:  []*huma.Param{jobID(), assetNumber()},
		success: []success{{200, "The image", "image/png", binary(), partHeaders}},
		reasons: images,
		curl:    `curl -OJ -H "Authorization: Bearer $KEY" "$BLOTTER/v1/jobs/$JOB/assets/1/derivative"`,
	}, {
		pattern: "GET /v1/jobs/{id}/assets/{n}/original", right: access.Originals, serve: a.original,
		id: "getOriginal", tag: tagResults, summary: "Fetch an image as it was before redaction",
		text:    "Only where the request asked to keep originals. That the holder of the key has seen it goes on record first; a HEAD counts too.",
		params:  []*huma.Param{jobID(), assetNumber()},
		success: []success{{200, "The image", "image/png", binary(), partHeaders[1:]}},
		reasons: images,
		curl:    `curl -OJ -H "Authorization: Bearer $KEY" "$BLOTTER/v1/jobs/$JOB/assets/1/original"`,
	}, {
		pattern: "GET /v1/trust", serve: a.trust,
		id: "getTrust", tag: tagResults, summary: "Fetch the trust list",
		text: "The public keys under which receipts of this node verify. Every key may ask. Whoever verifies should have got the list " +
			"from the operator by another way: a forger would hand out a list of his own.",
		success: []success{{200, "trust.json", "application/json", receipt.TrustList{}, partHeaders[1:]}},
		reasons: []reason.Code{reason.AuditUnavailable},
		curl:    `curl -OJ -H "Authorization: Bearer $KEY" "$BLOTTER/v1/trust"`,
	}}
}

func (a *API) operating() []operation {
	return []operation{{
		pattern: "POST /v1/jobs/{id}/replay", right: access.Operate,
		serve: a.acting(a.Store.Replay, receipt.Replayed, document.Queued, ""),
		id:    "replayJob", tag: tagOperate, summary: "Replay a dead job",
		text:    "Puts it back into the queue, with all its attempts. Remove the cause first; the job's reason names it.",
		params:  []*huma.Param{jobID()},
		success: []success{{200, "The job, queued again", "application/json", client.Job{}, []string{"ETag"}}},
		reasons: []reason.Code{reason.APINotFound, reason.JobNotDead, reason.JobNoReplay},
		curl:    `curl -X POST -H "Authorization: Bearer $KEY" "$BLOTTER/v1/jobs/$JOB/replay"`,
	}, {
		pattern: "POST /v1/jobs/replay", right: access.Operate, serve: a.replayJobs,
		id: "replayJobs", tag: tagOperate, summary: "Replay dead jobs by their reason",
		text: "Puts dead jobs with one reason back into the queue, the latest first, each on record by itself. One whose document was " +
			"destroyed, or that somebody moved meanwhile, is passed over and counted. Where `next` is not empty there are more: ask again " +
			"with it as `cursor`, once the first ones show that the cause is gone.",
		params:  replayParams(),
		success: []success{{200, "The jobs that are queued again", "application/json", client.Replayed{}, []string{"ETag"}}},
		reasons: []reason.Code{reason.APIRequest, reason.APIForbidden, reason.VaultDamaged},
		curl:    `curl -X POST -H "Authorization: Bearer $KEY" "$BLOTTER/v1/jobs/replay?reason=source.unavailable&limit=20"`,
	}, {
		pattern: "POST /v1/jobs/{id}/discard", right: access.Operate,
		serve: a.acting(a.Store.Discard, receipt.Cancelled, document.Cancelled, reason.JobDiscarded),
		id:    "discardJob", tag: tagOperate, summary: "Discard a dead job",
		text:    "Ends it for good.",
		params:  []*huma.Param{jobID()},
		success: []success{{200, "The job as it stands now; its end is being signed", "application/json", client.Job{}, []string{"ETag"}}},
		reasons: []reason.Code{reason.APINotFound, reason.JobNotDead},
		curl:    `curl -X POST -H "Authorization: Bearer $KEY" "$BLOTTER/v1/jobs/$JOB/discard"`,
	}}
}
