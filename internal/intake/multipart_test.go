package intake

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// readForm reads a whole form, as a reception does.
func readForm(body io.Reader, boundary string) (s settings, doc []byte, err error) {
	f, err := newFormReader(body, boundary)
	if err != nil {
		return s, nil, err
	}
	s, file, err := f.begin()
	if err != nil {
		return s, nil, err
	}
	if doc, err = io.ReadAll(file); err != nil {
		return s, nil, err
	}
	return s, doc, f.end()
}

const (
	formSum    = "--b\r\nContent-Disposition: form-data; name=\"sha256\"\r\n\r\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\r\n"
	formLetter = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../Mrs Miller\"\r\nContent-Type: image/png\r\n\r\nletter\r\n"
)

func TestForms(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		ok   bool
	}{
		"plain":             {formSum + formLetter + "--b--\r\n", true},
		"no line at end":    {formSum + formLetter + "--b--", true},
		"blanks at end":     {formSum + formLetter + "--b-- \t\r\n", true},
		"preamble":          {"preamble\r\n" + formSum + formLetter + "--b--", true},
		"epilogue":          {formSum + formLetter + "--b--\r\nepilogue", false},
		"second form":       {formSum + formLetter + "--b--\r\n" + formLetter, false},
		"not closed":        {formSum + formLetter + "--b\r\n", false},
		"no end":            {formSum + formLetter, false},
		"cut in the file":   {formSum + formLetter[:len(formLetter)-4], false},
		"transfer encoding": {formSum + strings.Replace(formLetter, "Content-Type", "Content-Transfer-Encoding: base64\r\nContent-Type", 1) + "--b--", false},
		"long header":       {formSum + strings.Replace(formLetter, "Mrs", strings.Repeat("x", 2*maxPartHeader), 1) + "--b--", false},
		"long field":        {strings.Replace(formSum, "e3b0", strings.Repeat("e", 1<<20), 1) + formLetter + "--b--", false},
		"many blanks":       {formSum + strings.Repeat("\r\n", 1<<20) + formLetter + "--b--", false},
		"many lines first":  {strings.Repeat("line\r\n", 1<<20) + formSum + formLetter + "--b--", false},
	} {
		for _, slow := range []bool{false, true} {
			var body io.Reader = strings.NewReader(c.body)
			if slow && len(c.body) < 10_000 {
				body = iotest.OneByteReader(body)
			}
			s, doc, err := readForm(body, "b")
			if (err == nil) != c.ok {
				t.Errorf("%s: %v", name, err)
			}
			if err != nil && reason.Of(err) != reason.APIRequest {
				t.Errorf("%s: refused with %s", name, reason.Of(err))
			}
			if c.ok && (string(doc) != "letter" || s.sha256 != document.Sum(nil)) {
				t.Errorf("%s: read %q, %+v", name, doc, s)
			}
		}
	}
}

// What ended the body is told, not what that made of the form.
func TestAFormOnABodyThatFails(t *testing.T) {
	late := &refusal{code: reason.APIBodyTimeout}
	for i := range len(formSum + formLetter) {
		body := io.MultiReader(strings.NewReader((formSum + formLetter)[:i]), iotest.ErrReader(late))
		if _, _, err := readForm(body, "b"); reason.Of(err) != reason.APIBodyTimeout {
			t.Fatalf("after %d bytes: %v", i, err)
		}
	}
}

// counted tells how much of a form was read.
type counted struct {
	io.Reader
	n int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

// No form makes the reader keep, or read, more than its bounds between two parts.
func FuzzForm(f *testing.F) {
	f.Add(formSum+formLetter+"--b--\r\n", "b")
	f.Add(formSum+"--b\r\nContent-Disposition: form-data; name=\"hints\"\r\n\r\n{\"names\":[\"x\"]}\r\n"+formLetter+"--b--", "b")
	f.Add("--b\r\n\r\n--b--", "b")
	f.Fuzz(func(t *testing.T, body, boundary string) {
		in := &counted{Reader: strings.NewReader(body)}
		s, doc, err := readForm(in, boundary)
		var known *refusal
		if err != nil && !errors.As(err, &known) {
			t.Fatalf("an error that a client may not see: %v", err)
		}
		if err == nil && (s.sha256.IsZero() && !strings.Contains(body, strings.Repeat("0", 64)) || in.n != len(body) || !strings.Contains(body, string(doc))) {
			t.Errorf("accepted %q: %+v, %q", body, s, doc)
		}
	})
}
