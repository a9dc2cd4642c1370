// Package client is the Go client of blotter's HTTP API, and the API's wire types.
//
// Every field has its unit in its name or its description. Times are RFC 3339 in UTC.
// Reason codes are stable; docs/reasons.md lists them.
package client

import (
	"time"

	"blotter/receipt"
)

// Accepted is the answer to a document that was taken in: 202, or the same again for a
// repeated request. What it says never changes; ask for the job to see what became of it.
type Accepted struct {
	ID      string    `json:"id" doc:"Identifier of the job" example:"j0123456789abcdefghjkmnpqrs"`
	State   string    `json:"state" enum:"queued" doc:"State in which the job began"`
	SHA256  string    `json:"sha256" doc:"SHA-256 of the document, 64 lower-case hexadecimal digits"`
	Bytes   int64     `json:"bytes" doc:"Size of the document in bytes; 0 for a reference, which is fetched later"`
	Created time.Time `json:"created" doc:"When the job was made, by the store's clock"`
}

// Reference asks for a document that lies in one of the node's governed stores.
type Reference struct {
	Source    string `json:"source" doc:"Where it lies: a file, s3, gs or azblob URL under one of the node's prefixes" example:"s3://scans/2026/0001.pdf"`
	SHA256    string `json:"sha256" doc:"SHA-256 that the object must have, 64 lower-case hexadecimal digits"`
	Policy    string `json:"policy,omitempty" doc:"Name of the redaction policy; the node's own without it"`
	Lane      string `json:"lane,omitempty" enum:"interactive,bulk" doc:"Lane in which the job waits; bulk without it"`
	Originals bool   `json:"originals,omitempty" doc:"Also keep each image as it was before redaction, for a review"`
	Hints     *Hints `json:"hints,omitempty" doc:"What is known of the person; sealed until the cell opens it, destroyed with the job's end"`
}

// Hints are what the caller knows of the person whom a document is about.
type Hints struct {
	Names     []string `json:"names,omitempty" doc:"Names of the person and of relatives"`
	Dates     []string `json:"dates,omitempty" doc:"Dates such as the birth date, as YYYY-MM-DD"`
	Numbers   []string `json:"numbers,omitempty" doc:"Record, insurance, phone and other numbers"`
	Addresses []string `json:"addresses,omitempty" doc:"Postal addresses"`
}

// Job is a job as it stands now.
type Job struct {
	ID      string    `json:"id" doc:"Identifier of the job"`
	Tenant  string    `json:"tenant" doc:"Whose document it is"`
	State   string    `json:"state" enum:"queued,leased,sealing,released,awaiting_review,rejected,dead,cancelled" doc:"Where the job stands"`
	Ended   bool      `json:"ended" doc:"Whether nothing more happens without a person"`
	Lane    string    `json:"lane" enum:"interactive,bulk" doc:"Lane in which it waits"`
	Reason  *Reason   `json:"reason,omitempty" doc:"Why it ended so, or why its last attempt failed"`
	Attempt int       `json:"attempt" doc:"Claims so far"`
	Created time.Time `json:"created" doc:"When the job was made, by the store's clock"`
	Ready   time.Time `json:"ready" doc:"Not worked on before this time, by the store's clock"`

	Input  Input          `json:"input" doc:"The document as it came in"`
	Policy receipt.Policy `json:"policy" doc:"The redaction policy that was pinned at intake"`

	Assets     []Asset          `json:"assets" doc:"Every image of the document and what became of it; empty before the end, and in lists"`
	NotCovered []string         `json:"not_covered" doc:"What of the document is no image and was not processed"`
	TimingsMS  map[string]int64 `json:"timings_ms" doc:"Milliseconds by stage; empty before the end"`
	BudgetsMS  map[string]int64 `json:"budgets_ms" doc:"Budget in milliseconds by stage, for stages that have one"`
	OverBudget []string         `json:"over_budget" doc:"Stages that took longer than their budget"`
	Signals    []string         `json:"signals" doc:"What an over-budget stage tells: capacity (the queue was the cause) or input (the document was)"`
	Pixels     int64            `json:"pixels" doc:"Pixels decoded, summed over both passes"`

	Event int64 `json:"event" doc:"Sequence number of the event that ended the job; -1 before"`
	Links Links `json:"links" doc:"Where its parts are"`
}

// Reason explains a reason code.
type Reason struct {
	Code  string `json:"code" doc:"Stable code"`
	Class string `json:"class" enum:"transient,permanent,operator" doc:"Whether trying again helps"`
	Owner string `json:"owner" enum:"api,document,compliance,operator" doc:"Which team it calls"`
	Text  string `json:"text" doc:"What happened and what to do next"`
}

// Input is the document as it came in.
type Input struct {
	SHA256    string `json:"sha256" doc:"SHA-256 of the document"`
	Bytes     int64  `json:"bytes" doc:"Size in bytes; 0 while it was not fetched"`
	MediaType string `json:"media_type,omitempty" doc:"Type found out from the bytes; empty before"`
}

// Asset is one image of the document.
type Asset struct {
	receipt.ResultAsset
	Links AssetLinks `json:"links" doc:"Where its pixels are"`
}

// AssetLinks lead to the pixels of an asset.
type AssetLinks struct {
	Derivative string `json:"derivative,omitempty" doc:"The redacted image, PNG"`
	Original   string `json:"original,omitempty" doc:"The image before redaction, PNG; needs the right to see originals"`
}

// Links lead to the parts of a job.
type Links struct {
	Self    string `json:"self" doc:"This job"`
	Events  string `json:"events" doc:"Its signed events, as server-sent events"`
	Result  string `json:"result,omitempty" doc:"result.json, once the job has ended"`
	Receipt string `json:"receipt,omitempty" doc:"receipt.json, once the job has ended"`
}

// Jobs is one page of a list.
type Jobs struct {
	Jobs []Job  `json:"jobs" doc:"The jobs of this page, the latest first"`
	Next string `json:"next,omitempty" doc:"Cursor of the next page; empty on the last"`
}

// Replayed is what a replay of many jobs did.
type Replayed struct {
	Jobs   []Job  `json:"jobs" doc:"The jobs that are queued again"`
	Passed int    `json:"passed" doc:"Jobs that were passed over: moved meanwhile, or their documents were destroyed"`
	Next   string `json:"next,omitempty" doc:"Cursor for those that are left; empty where none is"`
}

// Problem is an error as RFC 9457 has it.
type Problem struct {
	Type   string   `json:"type" doc:"urn:blotter:reason: and the reason code"`
	Title  string   `json:"title" doc:"The HTTP status in words"`
	Status int      `json:"status" doc:"The HTTP status"`
	Detail string   `json:"detail" doc:"What happened and what to do next"`
	Reason string   `json:"reason" doc:"Stable reason code"`
	Class  string   `json:"class" enum:"transient,permanent,operator" doc:"Whether trying again helps"`
	Owner  string   `json:"owner" enum:"api,document,compliance,operator" doc:"Which team it calls"`
	Job    string   `json:"job,omitempty" doc:"The job that it is about"`
	Async  string   `json:"async,omitempty" doc:"The asynchronous path that takes what this one does not"`
	Faults []string `json:"faults,omitempty" doc:"Which parts of the request are wrong; never their values"`
}
