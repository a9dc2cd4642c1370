// Package tag asks a token classifier that the operator brings what the words of a page
// are. It is one more layer of finding, for teams that have a model trained on documents
// like theirs; without one nothing here runs.
//
// The model is an ONNX file with the tokenizer.json and config.json that lie beside it
// where models are exchanged. It is trusted, since the configuration pins it by digest;
// the words are not. All that native code sees of them are token numbers that the
// tokenizer's own vocabulary holds, in rows no longer than the model takes: no byte of a
// document reaches it.
//
// It is not a goal to run every model. What a file asks for and this package does not
// know is refused when it is loaded, with what it is: a tokenizer that is understood
// almost gives other tokens than the model was trained on, and finds almost nothing.
package tag

import (
	"context"
	"errors"
	"fmt"
	"math"

	"blotter/internal/cell/inside/onnx"
	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// Files are what a classifier is made of. Library is the path of ONNX Runtime, which may
// be a descriptor's (/proc/self/fd/N).
type Files struct {
	Library   string
	Model     []byte // ONNX: input_ids, and attention_mask and token_type_ids where it has them, to logits
	Tokenizer []byte // tokenizer.json
	Config    []byte // config.json: the names of the labels, the longest text
	Threads   int    // threads that compute; zero means one

	// Meanings say what labels stand for whose names are none of the usual ones, or stand
	// for something else: by the label in capitals, 0 for what is not personal.
	Meanings map[string]document.Type
}

// least is the probability from which on a word is reported. The policy's thresholds,
// 0.5 for most types, decide what is covered; below a fifth a model guesses.
const least = 0.2

// Tagger is a loaded classifier. It takes one page at a time.
type Tagger struct {
	runtime *onnx.Runtime
	session *onnx.Session
	encode  *tokenizer
	labels  []document.Type // by label's number; 0: nothing personal
	window  int             // tokens that the model takes at once, the two at the ends included
}

// Load makes a Tagger and tries it on a few tokens. Later calls open no file and start no
// process. Errors say what about the files cannot be used.
func Load(f Files) (*Tagger, error) {
	t := &Tagger{}
	if err := t.load(f); err != nil {
		t.Close()
		return nil, fmt.Errorf("tag: %w", err)
	}
	return t, nil
}

func (t *Tagger) load(f Files) (err error) {
	if t.encode, err = readTokenizer(f.Tokenizer); err != nil {
		return fmt.Errorf("tokenizer.json: %w", err)
	}
	if t.labels, t.window, err = readConfig(f.Config, f.Meanings); err != nil {
		return err
	}
	// The library is loaded once in a process, however many open it.
	if t.runtime, err = onnx.Open(f.Library); err != nil {
		return err
	}
	if t.session, err = t.runtime.Session(f.Model, max(1, f.Threads)); err != nil {
		return fmt.Errorf("model.onnx: %w", err)
	}
	if err := checkInputs(t.session.Inputs()); err != nil {
		return fmt.Errorf("model.onnx: %w", err)
	}
	return t.Try(3)
}

// checkInputs refuses a model that wants more than tokens.
func checkInputs(names []string) error {
	has := map[string]bool{}
	for _, n := range names {
		has[n] = true
		if n != inputTokens && n != inputMask && n != inputTypes {
			return fmt.Errorf("it has an input %q, which is none of %s, %s and %s", n, inputTokens, inputMask, inputTypes)
		}
	}
	if !has[inputTokens] {
		return fmt.Errorf("it has no input %s", inputTokens)
	}
	return nil
}

// Names of inputs, as exporters give them.
const (
	inputTokens = "input_ids"
	inputMask   = "attention_mask" // 1: a token to look at
	inputTypes  = "token_type_ids" // 0: the first text, and there is no other
)

// Longest is how many tokens the model takes at once.
func (t *Tagger) Longest() int { return t.window }

// Try runs the model on n tokens, 3 to Longest, among them the greatest that the
// tokenizer knows, and checks that it answers for each with a score for every label.
func (t *Tagger) Try(n int) error {
	row := make([]int64, n)
	for i := range row {
		row[i] = t.encode.greatest
	}
	row[0], row[n-1] = t.encode.begin, t.encode.end
	err := t.run(row, func(int, []float64) {})
	if err != nil {
		return fmt.Errorf("model.onnx, tried on %d tokens: %w", n, err)
	}
	return nil
}

// Close releases the model; no call may be under way. It never fails.
func (t *Tagger) Close() error {
	if t.session != nil {
		t.session.Close()
	}
	if t.runtime != nil {
		t.runtime.Close()
	}
	return nil
}

// Tag says what the model takes the words of a page for: each type that it gives a
// probability of a fifth or more, in the order of the words. A long page is read in
// windows that overlap, and the window that shows most around a word speaks for it.
//
// The time is that of one run of the model for every three quarters of a window. The
// error is the engine's failure or ctx's.
func (t *Tagger) Tag(ctx context.Context, p *words.Page) ([]words.Tag, error) {
	texts := t.encode.words(p.Words)
	said := make([]opinion, len(texts))
	for _, w := range windows(texts, t.window-2) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := t.read(texts, w, said); err != nil {
			return nil, fmt.Errorf("tag: %w", err)
		}
	}
	var out []words.Tag
	for i, o := range said {
		for typ := document.Type(1); int(typ) < len(o.scores); typ++ {
			if o.scores[typ] >= least {
				out = append(out, words.Tag{Word: i, Type: typ, Score: min(o.scores[typ], 1)})
			}
		}
	}
	return out, nil
}

// opinion is what a window says of a word, and how much of the page it showed around it.
type opinion struct {
	scores []float64 // by type; nil: no window spoke yet
	around int       // tokens to the nearer end of the window that is not the page's
}

// read runs one window and keeps what it says of words that it shows better than an
// earlier one did.
func (t *Tagger) read(texts []text, w window, said []opinion) error {
	row := []int64{t.encode.begin}
	var owner []int // by token: the word whose part begins there, or −1
	for i := w.from; i < w.to; i++ {
		for _, p := range texts[i] {
			row = append(row, p.token)
			if p.begins {
				owner = append(owner, i)
			} else {
				owner = append(owner, -1)
			}
		}
	}
	row = append(row, t.encode.end)
	fresh := map[int]bool{}
	return t.run(row, func(at int, scores []float64) {
		if at == 0 || at > len(owner) || owner[at-1] < 0 {
			return
		}
		o := &said[owner[at-1]]
		if around := w.around(texts, owner[at-1]); o.scores == nil || around > o.around {
			*o, fresh[owner[at-1]] = opinion{make([]float64, len(scores)), around}, true
		}
		if fresh[owner[at-1]] { // a word is what any of its parts is
			for typ, s := range scores {
				o.scores[typ] = max(o.scores[typ], s)
			}
		}
	})
}

// run asks the model about a row of tokens and hands on, for each, the probability of
// every type. scores are overwritten by the next.
func (t *Tagger) run(row []int64, each func(at int, scores []float64)) error {
	fill := func(input string, in []int64) {
		for i := range in {
			switch input {
			case inputTokens:
				in[i] = row[i]
			case inputMask:
				in[i] = 1
			case inputTypes:
				in[i] = 0
			}
		}
	}
	var wrong error
	err := t.session.RunInts([]int{1, len(row)}, fill, func(out []float32, shape []int) {
		n := len(t.labels)
		if len(shape) != 3 || shape[0] != 1 || shape[1] != len(row) || shape[2] != n {
			wrong = fmt.Errorf("for %d tokens and %d labels it answers with the shape %v", len(row), n, shape)
			return
		}
		scores := make([]float64, len(document.Types())+1)
		for i := range row {
			if !t.weigh(out[i*n:(i+1)*n], scores) {
				wrong = errors.New("it answers with what is no number")
				return
			}
			each(i, scores)
		}
	})
	return errors.Join(err, wrong)
}

// weigh turns the logits of one token into the probability of each type: the sum over
// its labels. It reports false where they are no finite numbers.
func (t *Tagger) weigh(logits []float32, scores []float64) bool {
	clear(scores)
	most := math.Inf(-1)
	for _, l := range logits {
		most = max(most, float64(l)) // max keeps a NaN
	}
	var sum float64
	for i, l := range logits {
		p := math.Exp(float64(l) - most)
		sum += p
		if typ := t.labels[i]; typ != 0 {
			scores[typ] += p
		}
	}
	for typ := range scores {
		scores[typ] /= sum
	}
	return sum > 0 && !math.IsInf(sum, 0) && !math.IsInf(most, 0)
}
