package document_test

import (
	"testing"

	"blotter/internal/document"
)

func TestColourReadsBack(t *testing.T) {
	for _, c := range []document.Colour{{}, {R: 255, G: 128, B: 1}} {
		if got, err := document.ParseColour(c.String()); err != nil || got != c {
			t.Errorf("%v became %v, %v", c, got, err)
		}
	}
	if got, err := document.ParseColour("#FFa00b"); err != nil || got != (document.Colour{R: 255, G: 160, B: 11}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, s := range []string{"", "#", "000000", "#00000", "#0000000", "#00000g", "#-00000", "red"} {
		if c, err := document.ParseColour(s); err == nil {
			t.Errorf("%q is %v", s, c)
		}
	}
}

func TestReviews(t *testing.T) {
	r := document.Rules{Actions: map[document.Type]document.Action{document.Face: document.Review, document.Unread: document.Review}}
	if !r.Reviews(document.Face) || r.Reviews(document.Name) || r.Reviews(document.Unread) {
		t.Error("an action of a type is not followed, or one of unread text is")
	}
	r.Unread = document.ReviewUnread
	if !r.Reviews(document.Unread) {
		t.Error("unread text asks for nobody")
	}
}
