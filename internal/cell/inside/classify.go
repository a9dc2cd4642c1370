package inside

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"blotter/internal/cell/inside/tag"
	"blotter/internal/cell/inside/words"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// tagger asks the operator's classifier about the words of a page; package tag implements
// it.
type tagger interface {
	Tag(ctx context.Context, p *words.Page) ([]words.Tag, error)
}

// tag has the classifier, where there is one, look at a page. Its failure is the
// document's: a page that a layer did not see must not pass for one that it did.
func (p *pipeline) tag(ctx context.Context, page *words.Page) error {
	if p.engines.tagger == nil || !p.asks(document.ByModel) || len(page.Words) == 0 {
		return nil
	}
	return guard(reason.CellCrashed, func() error {
		tags, err := p.engines.tagger.Tag(ctx, page)
		if err != nil {
			return reason.Because(reason.ReadFailed, errors.New("inside: the classifier failed"))
		}
		page.Tags = tags
		return nil
	})
}

// loadTagger loads the operator's classifier from the descriptors that the parent opened.
func loadTagger(s wire.Setup) (*tag.Tagger, error) {
	f := tag.Files{Library: wire.Path(wire.LibraryFD), Threads: s.Threads, Meanings: s.Classifier.Meanings}
	for _, e := range []struct {
		fd   int
		into *[]byte
	}{{wire.ModelFD, &f.Model}, {wire.TokenizerFD, &f.Tokenizer}, {wire.LabelsFD, &f.Config}} {
		var err error
		if *e.into, err = whole(e.fd); err != nil {
			return nil, err
		}
	}
	t, err := tag.Load(f)
	// The runtime has its own copy of the model by now, which may be hundreds of megabytes.
	f.Model = nil
	debug.FreeOSMemory()
	return t, err
}

// whole reads an inherited file into memory of its size, where io.ReadAll would leave
// twice as much behind.
func whole(fd int) ([]byte, error) {
	st, err := os.Stat(wire.Path(fd))
	if err != nil {
		return nil, err
	}
	b := make([]byte, st.Size())
	_, err = io.ReadFull(descriptor(fd), b)
	return b, err
}

// tryClassifier is the run of a classifier without a document, as the node starts: it
// loads the files that the parent opened and runs the model on as many tokens as it
// takes. It says what cannot be used, and else how many bytes the process holds now.
func tryClassifier(args []string) error {
	_, s, err := wire.ParseSetup(append([]string{wire.TryOut}, args...))
	if err != nil {
		return err
	}
	t, err := loadTagger(s)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := t.Try(t.Longest()); err != nil {
		return err
	}
	resident, err := residentBytes()
	if err != nil {
		return err
	}
	fmt.Println(resident)
	return nil
}

// residentBytes is the second number of /proc/self/statm, which counts pages.
func residentBytes() (int64, error) {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(b), &size, &resident); err != nil {
		return 0, err
	}
	return resident * int64(os.Getpagesize()), nil
}
