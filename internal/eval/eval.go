// Package eval measures redaction on annotated documents: each goes through the same cell
// as a job's, and what comes back is judged by its pixels (internal/truth). A team
// measures its own documents with it before it goes live.
//
// Guarantees:
//   - What is measured is what runs: engines, walls, policy and limits are those of a job.
//   - Nothing is stored. Derivatives stay in memory, so that nothing is left behind however
//     the process ends; no job, no event and no data directory is touched.
//   - Only regular files within the directory are opened: no pipe, no device, and no link
//     that leads elsewhere.
//   - A document that nothing can be released of counts as everything withheld, so that
//     refusing work never looks like good work.
//
// It decodes the PNGs that its own cells wrote, which no process that serves does; the
// decision record 0021 says why that may be. It holds the text of truth files, and no
// other.
//
// Non-goals: it makes no truth, and it does not judge what of a document is no picture.
package eval

import (
	"context"
	"fmt"
	"image/color"
	"os"
	"slices"
	"sync"
	"time"

	"blotter/internal/cell"
	"blotter/internal/cell/wire"
	"blotter/internal/reason"
)

// Cells run documents, each in a cell of its own (cell.Pool).
type Cells interface {
	Run(ctx context.Context, doc *os.File, t wire.Task, s cell.Sink) (cell.Report, error)
}

// Config is one measurement.
type Config struct {
	Dir     string      // documents with truth files beside them, at any depth
	Kinds   []string    // only documents of these kinds; empty: all
	Cells   Cells       // that the documents are given to
	Task    wire.Task   // what the policy wants of a cell
	Fill    color.Color // what the policy paints boxes in; nil: black
	Workers int         // documents at once; 0: 1
	Text    bool        // name leaked and lost words in the report
	Sheets  bool        // keep small pictures of what was made, for WriteHTML
	Told    func(done, total int)
}

// Run measures every document of the directory. The error is about the whole:
// truth.invalid, truth.missing, or what no document could be run for; what became of each
// document is in the report.
func Run(ctx context.Context, cfg Config) (*Report, error) {
	root, err := os.OpenRoot(cfg.Dir)
	if err != nil {
		return nil, reason.Because(reason.UsageWrong, fmt.Errorf("%q cannot be read", cfg.Dir))
	}
	defer root.Close()
	set, err := find(ctx, root, cfg.Kinds)
	if err != nil {
		return nil, err
	}
	m := &measurement{cfg: cfg, total: len(set)}
	began := time.Now()
	if err := m.all(ctx, set); err != nil {
		return nil, err
	}
	if len(m.measured) == 0 {
		return nil, m.failed[0].err
	}
	return m.report(time.Since(began)), nil
}

// measurement collects what the workers find.
type measurement struct {
	cfg   Config
	total int

	mu       sync.Mutex
	measured []Document
	failed   []Failure
}

// all gives the documents to the workers. It ends early where going on makes no sense.
func (m *measurement) all(ctx context.Context, set []annotated) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan annotated)
	var workers sync.WaitGroup
	for range max(1, m.cfg.Workers) {
		workers.Go(func() {
			for a := range next {
				if err := m.one(ctx, a); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, a := range set {
		select {
		case next <- a:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}

// one measures a document. Its error ends the whole: the caller gave up, or a person must
// first change something about the host.
func (m *measurement) one(ctx context.Context, a annotated) error {
	d, err := m.cfg.measure(ctx, a)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil && reason.Must(reason.Of(err)).Class == reason.Operator {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		m.failed = append(m.failed, Failure{Document: a.name, Reason: string(reason.Of(err)), err: err})
	} else {
		m.measured = append(m.measured, d)
	}
	if m.cfg.Told != nil {
		m.cfg.Told(len(m.measured)+len(m.failed), m.total)
	}
	return nil
}

// measure runs a document and judges what came back. The error is for what says nothing
// of the document: it may go well another time.
func (cfg Config) measure(ctx context.Context, a annotated) (Document, error) {
	doc, err := a.open(cfg.Task.Limits.SourceBytes)
	if reason.Of(err) == reason.SourceBytes {
		return cfg.judged(a, cell.Report{}, nil, reason.SourceBytes)
	}
	if err != nil {
		return Document{}, err
	}
	defer doc.Close()
	s := &sink{}
	began := time.Now()
	report, err := cfg.Cells.Run(ctx, doc, cfg.Task, s)
	took := time.Since(began)
	code := reason.Of(err)
	if err != nil && reason.Must(code).Class != reason.Permanent {
		return Document{}, err
	}
	if err != nil {
		s.assets = nil // nothing of it is released
	}
	d, err := cfg.judged(a, report, s.assets, code)
	d.Seconds = took.Seconds()
	return d, err
}

// judged makes the entry of a document in the report.
func (cfg Config) judged(a annotated, r cell.Report, assets []made, rejected reason.Code) (Document, error) {
	j := newJudge(a.truth, cfg.Fill, cfg.Sheets)
	for _, m := range assets {
		if err := j.take(m); err != nil {
			return Document{}, reason.Because(reason.Internal, err)
		}
	}
	d := Document{
		Name: a.name, Kind: a.truth.Kind, Language: a.truth.Language, Rejected: string(rejected),
		Pages: len(a.truth.Pictures), Assets: tally(assets), Stages: stages(r), PeakBytes: r.PeakBytes, CPU: r.CPU.Seconds(), sheets: j.sheets,
	}
	d.Assets.Unjudged = j.unjudged
	j.score(&d, cfg.Text)
	return d, nil
}

// report sums up what was measured, worst documents first.
func (m *measurement) report(took time.Duration) *Report {
	r := newReport()
	slices.SortFunc(m.measured, worse)
	slices.SortFunc(m.failed, byName)
	for _, d := range m.measured {
		r.add(d)
	}
	r.Failed = m.failed
	r.Cost.Seconds = took.Seconds()
	return r
}
