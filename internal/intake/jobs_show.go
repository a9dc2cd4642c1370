package intake

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"blotter/client"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

func (a *API) view(j queue.Job) (client.Job, error) { return View(j, a.Budgets) }

// View is a job as its caller sees it, here and on the command line. What the end brought
// (reason, assets, timings) shows only once the event that says so is in a signed
// checkpoint: nothing is readable before. budgets are the node's. It fails with
// vault.damaged where the stored result cannot be read.
func View(j queue.Job, budgets document.Budgets) (client.Job, error) {
	out := client.Job{
		ID: string(j.ID), Tenant: string(j.Tenant), State: string(j.State), Ended: j.State.Ended(), Lane: string(j.Lane),
		Attempt: j.Attempt, Created: j.Created.UTC(), Ready: j.NotBefore.UTC(), Event: -1,
		Input:  client.Input{SHA256: j.Input.String(), Bytes: j.Bytes},
		Policy: receipt.Policy{Name: j.Policy.Name, Version: j.Policy.Version, SHA256: j.Policy.Digest.String()},
		Assets: []client.Asset{}, NotCovered: []string{}, TimingsMS: map[string]int64{},
		BudgetsMS: milliseconds(budgets), OverBudget: []string{}, Signals: []string{},
		Links: client.Links{Self: jobPath(j.ID), Events: jobPath(j.ID) + "/events"},
	}
	if j.State != document.Sealing {
		out.Reason = explained(j.Reason)
	}
	if !out.Ended {
		return out, nil
	}
	out.Event = j.FinalSeq
	out.Links.Receipt = jobPath(j.ID) + "/receipt"
	if len(j.Result) == 0 {
		return out, nil
	}
	out.Links.Result = jobPath(j.ID) + "/result"
	if budgets.Exceeded(document.StageSeal, j.SealTime) { // known only after the result was signed
		out.OverBudget = append(out.OverBudget, document.StageSeal.String())
	}
	return out, addResult(&out, j)
}

func jobPath(id document.ID) string { return "/v1/jobs/" + string(id) }

// addResult adds what the result of a job says.
func addResult(out *client.Job, j queue.Job) error {
	var r receipt.Result
	if err := json.Unmarshal(j.Result, &r); err != nil {
		return reason.Because(reason.VaultDamaged, fmt.Errorf("intake: read a stored result: %w", err))
	}
	out.Input.MediaType, out.Pixels = r.Input.MediaType, r.Pixels
	out.NotCovered = append(out.NotCovered, r.NotCovered...)
	out.OverBudget = append(out.OverBudget, r.OverBudget...)
	out.Signals = signals(r.OverBudget)
	if r.TimingsMS != nil {
		out.TimingsMS = r.TimingsMS
		out.TimingsMS[document.StageSeal.String()] = j.SealTime.Milliseconds()
	}
	for _, asset := range r.Assets {
		out.Assets = append(out.Assets, linked(j, asset))
	}
	return nil
}

// linked shows an asset. Links stand only where there is something to fetch.
func linked(j queue.Job, asset receipt.ResultAsset) client.Asset {
	if asset.Boxes == nil {
		asset.Boxes = []receipt.ResultBox{}
	}
	out := client.Asset{ResultAsset: asset}
	base := jobPath(j.ID) + "/assets/" + strconv.FormatInt(asset.Index, 10)
	if asset.Derivative != nil && j.State.Releases() {
		out.Links.Derivative = base + "/derivative"
	}
	if asset.Original != nil && j.State.Releases() {
		out.Links.Original = base + "/original"
	}
	return out
}

// The two things that a stage over its budget can tell: too few workers for what waits, or
// a document that is unusually hard to decode or read.
const (
	signalCapacity = "capacity"
	signalInput    = "input"
)

// signals keeps the cause of slowness apart: an alert on capacity calls for workers, one
// on input for a look at the document.
func signals(over []string) []string {
	out := []string{}
	if slices.Contains(over, document.StageQueue.String()) {
		out = append(out, signalCapacity)
	}
	if slices.Contains(over, document.StageExtract.String()) || slices.Contains(over, document.StageRead.String()) {
		out = append(out, signalInput)
	}
	return out
}

func explained(c reason.Code) *client.Reason {
	if c == "" {
		return nil
	}
	e := reason.Must(c)
	return &client.Reason{Code: string(c), Class: string(e.Class), Owner: string(e.Owner), Text: e.Text}
}

// milliseconds lists the budgets of those stages that have one.
func milliseconds(b document.Budgets) map[string]int64 {
	out := map[string]int64{}
	for _, s := range document.Stages() {
		if b[s] > 0 {
			out[s.String()] = b[s].Milliseconds()
		}
	}
	return out
}
