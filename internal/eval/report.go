package eval

import (
	"cmp"
	"math"
	"strings"

	"blotter/internal/cell"
	"blotter/internal/document"
	"blotter/receipt"
)

// Schema names the form of a report as JSON. Fields may be added, never changed.
const Schema = "blotter.eval/1"

// Report is what a measurement found.
type Report struct {
	Schema    string           `json:"schema"`
	Code      receipt.Code     `json:"code"`              // program and engines that were measured
	Policy    Policy           `json:"policy"`            // under which
	Without   []string         `json:"without,omitempty"` // layers of finding that did not look
	Score     Score            `json:"score"`             // over all documents
	Classes   map[string]Score `json:"classes"`           // by type of personal data
	Kinds     map[string]Score `json:"kinds"`             // by kind of document
	Languages map[string]Score `json:"languages,omitempty"`
	Assets    Assets           `json:"assets"`
	Cost      Cost             `json:"cost"`
	Documents []Document       `json:"documents"`        // worst first
	Failed    []Failure        `json:"failed,omitempty"` // could not be run, and are in no count
}

// Policy names a policy.
type Policy struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	SHA256  string `json:"sha256"`
}

// Assets counts what came of the documents.
type Assets struct {
	Total    int `json:"total"`    // as the cell found them
	Withheld int `json:"withheld"` // of them; all of their words count as covered
	Missing  int `json:"missing"`  // pictures of the truth that no asset showed; count as withheld
	Unjudged int `json:"unjudged"` // assets of which the truth says nothing
}

// Cost is what measuring took. Times are of the wall clock but where they say otherwise.
type Cost struct {
	Pages          int                `json:"pages"`   // pictures of the truth
	Seconds        float64            `json:"seconds"` // from the first document to the end of the last
	SecondsPerPage float64            `json:"seconds_per_page"`
	CPUPerPage     float64            `json:"cpu_seconds_per_page"` // processor time of the cells, all threads
	Stages         map[string]float64 `json:"seconds_per_page_by_stage"`
	PeakBytes      int64              `json:"peak_bytes"` // resident memory of the cell that took most
}

// Document is what became of one document.
type Document struct {
	Name      string             `json:"document"` // path below the measured directory
	Kind      string             `json:"kind"`
	Language  string             `json:"language,omitempty"`
	Rejected  string             `json:"rejected,omitempty"` // reason why nothing of it is handed out; all counts as covered
	Score     Score              `json:"score"`
	Classes   map[string]Score   `json:"classes"`
	Assets    Assets             `json:"assets"`
	Pages     int                `json:"pages"`
	Seconds   float64            `json:"seconds"`     // wall clock, with the wait for a cell
	CPU       float64            `json:"cpu_seconds"` // processor time of the cell, all threads
	Stages    map[string]float64 `json:"stage_seconds"`
	PeakBytes int64              `json:"peak_bytes"`
	Leaks     []Miss             `json:"leaks,omitempty"`  // words and areas that still show
	Losses    []Miss             `json:"losses,omitempty"` // words and areas that should have stayed
	sheets    []sheet
}

// Miss is a word or an area with which redaction did the wrong thing.
type Miss struct {
	Page    int     `json:"page,omitempty"`
	Frame   int     `json:"frame,omitempty"`
	Image   int     `json:"image,omitempty"`
	Box     Box     `json:"box"`            // in the pixels of the truth
	Type    string  `json:"type,omitempty"` // of what should have gone
	Covered float64 `json:"covered"`        // share of its area, 0–1
	Text    string  `json:"text,omitempty"` // as the truth has it, where that was asked for
}

// Box is a document.Box.
type Box struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"w"`
	H int `json:"h"`
}

func boxOf(b document.Box) Box { return Box(b) }

// Failure is a document that could not be run.
type Failure struct {
	Document string `json:"document"`
	Reason   string `json:"reason"`
	err      error
}

func newReport() *Report {
	return &Report{
		Schema: Schema, Classes: map[string]Score{}, Kinds: map[string]Score{}, Languages: map[string]Score{},
		Cost: Cost{Stages: map[string]float64{}},
	}
}

// add takes a document into the sums.
func (r *Report) add(d Document) {
	r.Score.add(d.Score)
	for kind, s := range d.Classes {
		addTo(r.Classes, kind, s)
	}
	addTo(r.Kinds, d.Kind, d.Score)
	if d.Language != "" {
		addTo(r.Languages, d.Language, d.Score)
	}
	r.Assets.Total += d.Assets.Total
	r.Assets.Withheld += d.Assets.Withheld
	r.Assets.Missing += d.Assets.Missing
	r.Assets.Unjudged += d.Assets.Unjudged
	r.Cost.add(d)
	r.Documents = append(r.Documents, d)
}

func addTo(m map[string]Score, key string, s Score) {
	sum := m[key]
	sum.add(s)
	m[key] = sum
}

// add keeps the means by page up to date.
func (c *Cost) add(d Document) {
	before, now := float64(c.Pages), float64(c.Pages+d.Pages)
	mean := func(old, more float64) float64 { return (old*before + more) / now }
	for _, stage := range document.Stages() {
		name := stage.String()
		if d.Stages[name] > 0 || c.Stages[name] > 0 {
			c.Stages[name] = mean(c.Stages[name], d.Stages[name])
		}
	}
	c.SecondsPerPage = mean(c.SecondsPerPage, total(d.Stages))
	c.CPUPerPage = mean(c.CPUPerPage, d.CPU)
	c.Pages += d.Pages
	c.PeakBytes = max(c.PeakBytes, d.PeakBytes)
}

func total(stages map[string]float64) float64 {
	sum := 0.0
	for _, s := range stages {
		sum += s
	}
	return sum
}

// stages are the times of the stages inside the cell, seconds.
func stages(r cell.Report) map[string]float64 {
	out := map[string]float64{}
	for s := document.StageSniff; s <= document.StageVerify; s++ {
		if t := r.Timings[s]; t > 0 {
			out[s.String()] = math.Round(t.Seconds()*1e4) / 1e4
		}
	}
	return out
}

// worse orders documents by what leaked, then by what was lost, then by name.
func worse(a, b Document) int {
	return cmp.Or(
		cmp.Compare(b.leaked(), a.leaked()),
		cmp.Compare(b.Score.Words-b.Score.WordsDestroyed, a.Score.Words-a.Score.WordsDestroyed),
		cmp.Compare(b.Score.Lost+b.Score.AreasLost, a.Score.Lost+a.Score.AreasLost),
		strings.Compare(a.Name, b.Name),
	)
}

// leaked is how many values and areas of a document still show.
func (d Document) leaked() int {
	return d.Score.Values - d.Score.ValuesDestroyed + d.Score.Areas - d.Score.AreasDestroyed
}

func byName(a, b Failure) int { return strings.Compare(a.Document, b.Document) }
