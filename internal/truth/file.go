package truth

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// Suffix of a truth file's name, behind the document's own name.
const Suffix = ".truth.json"

// MaxBytes is how large a truth file may be: some hundred thousand words.
const MaxBytes = 64 << 20

// maxProblems is how many mistakes of one file are told: a file made by a program has the
// same one in each word.
const maxProblems = 10

// Parse reads a truth file. The error has the code truth.invalid and joins the mistakes,
// each with its place in the file and never with a word's text.
func Parse(file []byte) (Document, error) {
	var d Document
	dec := json.NewDecoder(bytes.NewReader(file))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		return Document{}, reason.Because(reason.TruthInvalid, notJSON(err))
	}
	if dec.More() {
		return Document{}, reason.Because(reason.TruthInvalid, errors.New("there is something behind the JSON object"))
	}
	if problems := append(d.problems(), cornerProblems(file)...); len(problems) > 0 {
		if more := len(problems) - maxProblems; more > 0 {
			problems = append(problems[:maxProblems], fmt.Errorf("and %d more", more))
		}
		return Document{}, reason.Because(reason.TruthInvalid, errors.Join(problems...))
	}
	return d, nil
}

// notJSON tells where a file stops to be what was expected, without repeating values.
func notJSON(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("byte %d: no JSON", syntax.Offset)
	case errors.As(err, &kind):
		return fmt.Errorf("byte %d: %s must be a %v", kind.Offset, kind.Field, kind.Type)
	}
	return errors.New("no JSON object with the fields of " + Schema + ": " + err.Error())
}

func (d Document) problems() []error {
	var out []error
	if d.Schema != Schema {
		out = append(out, fmt.Errorf("schema must be %q", Schema))
	}
	if d.Kind == "" {
		out = append(out, errors.New("kind must say what sort of document it is, such as \"form\""))
	}
	if len(d.Pictures) == 0 {
		out = append(out, errors.New("pictures must list a picture at least"))
	}
	places := map[[3]int]bool{}
	for i, p := range d.Pictures {
		at := fmt.Sprintf("pictures[%d]", i)
		place := [3]int{p.Page, p.Frame, p.Image}
		if places[place] {
			out = append(out, fmt.Errorf("%s: page, frame and image are those of an earlier picture", at))
		}
		places[place] = true
		out = append(out, p.problems(at)...)
	}
	return out
}

func (p Picture) problems(at string) []error {
	if p.Width < 1 || p.Height < 1 || p.Page < 0 || p.Frame < 0 || p.Image < 0 {
		return []error{fmt.Errorf("%s: width and height must be 1 at least, page, frame and image 0 at least", at)}
	}
	var out []error
	for i, w := range p.Words {
		out = append(out, p.placeProblems(fmt.Sprintf("%s.words[%d]", at, i), w.Quad, w.Want, w.Type)...)
	}
	for i, a := range p.Areas {
		out = append(out, p.placeProblems(fmt.Sprintf("%s.areas[%d]", at, i), a.Quad, a.Want, a.Type)...)
	}
	return out
}

func (p Picture) placeProblems(at string, q [4]Point, want Want, kind string) []error {
	var out []error
	if !slices.Contains([]Want{Keep, Destroy, Either}, want) {
		out = append(out, fmt.Errorf("%s: want must be keep, destroy or either", at))
	}
	if _, known := document.ParseType(kind); !known && (kind != "" || want == Destroy) {
		out = append(out, fmt.Errorf("%s: type must name a type of the policy, such as \"name\" or \"date\"", at))
	}
	if !p.holds(q) {
		out = append(out, fmt.Errorf("%s: quad must lie in the picture and enclose a pixel at least", at))
	}
	return out
}

// corners are those of a place as they stand in the file: decoding into Quad drops the
// fifth, and makes those that are missing zero.
type corners struct {
	Quad []struct {
		X, Y *float64
	}
}

func (c corners) whole() bool {
	for _, p := range c.Quad {
		if p.X == nil || p.Y == nil {
			return false
		}
	}
	return len(c.Quad) == 4
}

// cornerProblems tells the quads of a file, decoded before, that have not four corners.
func cornerProblems(file []byte) []error {
	var d struct {
		Pictures []struct{ Words, Areas []corners }
	}
	if err := json.Unmarshal(file, &d); err != nil {
		return []error{notJSON(err)}
	}
	var out []error
	tell := func(at string, places []corners) {
		for i, c := range places {
			if !c.whole() {
				out = append(out, fmt.Errorf("%s[%d]: quad must have four corners, each with x and y", at, i))
			}
		}
	}
	for i, p := range d.Pictures {
		tell(fmt.Sprintf("pictures[%d].words", i), p.Words)
		tell(fmt.Sprintf("pictures[%d].areas", i), p.Areas)
	}
	return out
}

// holds reports whether the middle of a quad lies in the picture and its area is worth a
// pixel. Its corners may stand out: print is cut off at the edges of scans.
func (p Picture) holds(q [4]Point) bool {
	middle := inside(q, 0.5, 0.5)
	in := middle.X >= 0 && middle.Y >= 0 && middle.X < float64(p.Width) && middle.Y < float64(p.Height)
	area := 0.0
	for i, a := range q {
		b := q[(i+1)%4]
		area += a.X*b.Y - b.X*a.Y
	}
	return in && math.Abs(area)/2 >= 1
}
