package app

import (
	"context"
	"errors"
	"image/color"

	"blotter/internal/cell"
	"blotter/internal/cell/wire"
	"blotter/internal/config"
	"blotter/internal/document"
	"blotter/internal/eval"
	"blotter/internal/policy"
)

// Measure is what `blotter eval` asks for.
type Measure struct {
	Dir     string // annotated documents
	Policy  policy.Policy
	Kinds   []string          // of documents; empty: all
	Without []document.Source // layers that do not look
	Text    bool              // name leaked and lost words
	Sheets  bool              // keep pictures for the report as HTML
	Told    func(done, total int)
}

// Evaluate measures redaction on annotated documents, with the engines, walls and
// settings that a job has and without making one: no data directory is opened.
func Evaluate(ctx context.Context, cfg config.Config, m Measure) (_ *eval.Report, err error) {
	engines, err := OpenEngines(cfg)
	if err != nil {
		return nil, err
	}
	setup := cellConfig(cfg, engines)
	if err := cell.TryClassifier(ctx, setup); err != nil {
		return nil, err
	}
	cells := cell.NewPool(setup, 1)
	defer func() { err = errors.Join(err, cells.Close()) }()
	task := wire.Task{Rules: m.Policy.Rules, Limits: m.Policy.Limits, Deny: m.Policy.DeniedFormats()}
	task.Without, task.Labels = m.Without, false // a judge wants one colour; labels are written on what is covered
	report, err := eval.Run(ctx, eval.Config{
		Dir: m.Dir, Kinds: m.Kinds, Cells: cells, Task: task, Workers: cfg.Workers,
		Fill: color.RGBA{R: task.Fill.R, G: task.Fill.G, B: task.Fill.B, A: 0xff},
		Text: m.Text, Sheets: m.Sheets, Told: m.Told,
	})
	if err != nil {
		return nil, err
	}
	report.Code = CodeOf(engines)
	report.Policy = eval.Policy{Name: m.Policy.Name, Version: m.Policy.Version, SHA256: m.Policy.Digest().String()}
	for _, s := range m.Without {
		report.Without = append(report.Without, s.String())
	}
	return report, nil
}
