package inside

import (
	"context"
	"errors"
	"testing"

	"blotter/internal/cell/inside/detect"
	"blotter/internal/cell/inside/words"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// A classifier that fails or panics fails the document: no page passes for one that every
// layer saw.
func TestFailingClassifierFailsTheDocument(t *testing.T) {
	for name, c := range map[string]struct {
		tagger  taggerFunc
		without []document.Source
		want    reason.Code // empty: none
	}{
		"fails":              {func() ([]words.Tag, error) { return nil, errors.New("Oyelaran") }, nil, reason.ReadFailed},
		"panics":             {func() ([]words.Tag, error) { panic("Oyelaran") }, nil, reason.CellCrashed},
		"fails and is spare": {func() ([]words.Tag, error) { panic("asked") }, []document.Source{document.ByModel}, ""},
	} {
		e := engines{reader: &fakeReader{page: oneLine()}, finder: detect.New(), tagger: c.tagger}
		o := processWith(t, e, wire.Task{Without: c.without})
		var got reason.Code
		if failed, ok := o.end.(wire.Failed); ok {
			got, _ = reason.ByNumber(failed.Reason)
		}
		if got != c.want {
			t.Errorf("%s: ended with %+v", name, o.end)
		}
	}
}

type taggerFunc func() ([]words.Tag, error)

func (f taggerFunc) Tag(context.Context, *words.Page) ([]words.Tag, error) { return f() }

// The second look asks the classifier, too: a word that only it knows and that still shows
// is found again.
func TestSecondLookAsksTheClassifier(t *testing.T) {
	defer func(f func(int, []document.Finding) []document.Finding) { omit = f }(omit)
	omit = func(round int, fs []document.Finding) []document.Finding {
		if round == 0 {
			return nil
		}
		return fs
	}
	page := words.Page{Width: 200, Height: 100, Words: []words.Word{{Text: "pudding", Box: numberBox, Confidence: 1}}}
	called := 0
	knows := func() ([]words.Tag, error) {
		called++
		return []words.Tag{{Type: document.Name, Score: 0.9}}, nil
	}
	o := processWith(t, engines{reader: &fakeReader{page: page}, finder: detect.New(), tagger: taggerFunc(knows)}, wire.Task{})
	again := 0
	for _, b := range o.burned {
		if b.Source == document.BySecondLook {
			again++
		}
	}
	if again != 1 || called != 2 {
		t.Errorf("found again %d times, asked %d times, burned %+v, ended with %+v", again, called, o.burned, o.end)
	}
}
