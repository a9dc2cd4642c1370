package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"blotter/internal/truth"
)

// entity is an entry of FUNSD.
type entity struct {
	ID      int
	Text    string
	Label   string // header, question, answer, other
	Linking [][2]int
	Words   []struct {
		Box  [4]float64
		Text string
	}
}

// asking tells which questions plainly ask for what, by all of their text.
var asking = []struct {
	question *regexp.Regexp
	kind     string
}{
	{regexp.MustCompile(`^(date|date received|date of birth|birth date)$`), "date"},
	{regexp.MustCompile(`^(name|to|from|attention|attn|contact|approved by|prepared by|submitted by|requested by|cc)$`), "name"},
	{regexp.MustCompile(`^(telephone|phone|telephone no|phone no|telephone number|phone number|tel)$`), "phone"},
	{regexp.MustCompile(`^(fax|fax no|fax number)$`), "fax"},
	{regexp.MustCompile(`^(address|street address|city)$`), "place"},
}

func funsd(image string) ([]truth.Word, error) {
	name := strings.TrimSuffix(filepath.Base(image), ".png") + ".json"
	var file struct{ Form []entity }
	if err := readJSON(filepath.Join(filepath.Dir(filepath.Dir(image)), "annotations", name), &file); err != nil {
		return nil, err
	}
	asked := map[int]string{} // answers, and what was asked for
	for _, e := range file.Form {
		kind := kindAsked(e.Text)
		if e.Label != "question" || kind == "" {
			continue
		}
		for _, link := range e.Linking {
			for _, end := range link {
				asked[end] = kind
			}
		}
	}
	var out []truth.Word
	for i, e := range file.Form {
		for _, w := range e.Words {
			out = append(out, e.word(w.Text, w.Box, asked[e.ID], i+1))
		}
	}
	return out, nil
}

func kindAsked(question string) string {
	plain := strings.Trim(strings.ToLower(strings.TrimSpace(question)), " :.#")
	for _, a := range asking {
		if a.question.MatchString(plain) {
			return a.kind
		}
	}
	return ""
}

func (e entity) word(text string, b [4]float64, asked string, value int) truth.Word {
	w := word(text, b[0], b[1], b[2], b[3])
	switch {
	case !strings.ContainsFunc(text, letterOrDigit):
	case e.Label == "header", e.Label == "question":
		w.Want = truth.Keep
	case e.Label == "answer" && asked != "" && plausible(asked, e.Text):
		w.Want, w.Type, w.Value = truth.Destroy, asked, value
	}
	return w
}

// plausible reports whether an answer can be what was asked for: a date or a number has
// digits, a name has none.
func plausible(kind, text string) bool {
	digits := strings.ContainsFunc(text, unicode.IsDigit)
	switch kind {
	case "name":
		return !digits && len(strings.Fields(text)) <= 4
	case "place":
		return true
	}
	return digits
}

func letterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func sroie(image string) ([]truth.Word, error) {
	root, name := filepath.Dir(filepath.Dir(image)), strings.TrimSuffix(filepath.Base(image), ".jpg")
	var key struct{ Company, Date, Address string }
	if err := readJSON(filepath.Join(root, "key", name+".json"), &key); err != nil {
		return nil, err
	}
	lines, err := os.ReadFile(filepath.Join(root, "box", name+".csv"))
	if err != nil {
		return nil, err
	}
	var out []truth.Word
	for line := range strings.Lines(string(lines)) {
		cells := strings.SplitN(strings.TrimSpace(line), ",", 9)
		if len(cells) != 9 {
			continue
		}
		var at [8]float64
		for i := range at {
			if at[i], err = strconv.ParseFloat(cells[i], 64); err != nil {
				return nil, err
			}
		}
		out = append(out, receiptLine(cells[8], at, key.Company, key.Date, key.Address)...)
	}
	return out, nil
}

// receiptLine cuts a line into words, as wide as their letters are many.
func receiptLine(text string, at [8]float64, company, date, address string) []truth.Word {
	x0, y0, x1, y1 := at[0], at[1], at[4], at[5]
	all := float64(max(1, utf8.RuneCountInString(text)))
	var out []truth.Word
	from := 0
	for _, part := range strings.Fields(text) {
		from += strings.Index(text[from:], part)
		left, right := float64(utf8.RuneCountInString(text[:from])), float64(utf8.RuneCountInString(text[:from+len(part)]))
		w := word(part, x0+(x1-x0)*left/all, y0, x0+(x1-x0)*right/all, y1)
		switch {
		case date != "" && strings.Contains(text, date) && (slices.Contains(strings.Fields(date), part) || strings.Contains(part, date)):
			w.Want, w.Type, w.Value = truth.Destroy, "date", 1
		case strings.Contains(address, text):
			w.Want, w.Type, w.Value = truth.Destroy, "place", 2
		case !strings.Contains(company, part) && !strings.ContainsFunc(part, unicode.IsDigit) && strings.ContainsFunc(part, unicode.IsLetter):
			w.Want = truth.Keep
		}
		out = append(out, w)
		from += len(part)
	}
	return out
}

func presidio(image string) ([]truth.Word, error) {
	name := strings.TrimSuffix(filepath.Base(image), ".png") + truth.Suffix
	var file struct {
		Boxes []struct {
			Label                    string
			Left, Top, Width, Height float64
		}
	}
	if err := readJSON(filepath.Join(filepath.Dir(image), "truth", name), &file); err != nil {
		return nil, err
	}
	var out []truth.Word
	for i, b := range file.Boxes {
		w := word(b.Label, b.Left, b.Top, b.Left+b.Width, b.Top+b.Height)
		switch {
		case strings.ContainsFunc(b.Label, unicode.IsDigit):
			w.Want, w.Type, w.Value = truth.Destroy, "date", i+2
		case len(b.Label) > 3: // the sex stands in brackets
			w.Want, w.Type, w.Value = truth.Destroy, "name", 1
		}
		out = append(out, w)
	}
	return out, nil
}
