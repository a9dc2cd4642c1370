package inside

import (
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
)

func TestWithoutCoverageUnreadStays(t *testing.T) {
	page := &words.Page{Width: 100, Height: 100, Unread: []document.Box{{X: 10, Y: 10, W: 20, H: 10}}}
	p := &pipeline{}
	if got := p.judge(page, nil); len(got) != 1 || got[0].Source != document.ByCoverage {
		t.Errorf("with coverage: %v", got)
	}
	p.task = wire.Task{Without: []document.Source{document.ByCoverage}}
	if got := p.judge(page, nil); len(got) != 0 {
		t.Errorf("without coverage: %v", got)
	}
}
