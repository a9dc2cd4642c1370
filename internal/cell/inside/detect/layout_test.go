package detect

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// Pixels of the tests' type: every character 12 wide, lines 20 high and 30 apart.
const (
	charWide, lineHigh, linePitch = 12, 20, 30
)

// layout sets text in monospace as a reader would report it: words at single spaces. Three
// spaces or more are a wide gap; each run between them is a line of its own where cells is
// set, as readers that see columns do.
func layout(text string, cells bool) *words.Page {
	p := &words.Page{}
	line := 0
	for y, row := range strings.Split(text, "\n") {
		rs := []rune(row)
		end := -1
		for i := 0; i < len(rs); {
			if rs[i] == ' ' {
				i++
				continue
			}
			j := i
			for j < len(rs) && rs[j] != ' ' {
				j++
			}
			if cells && end >= 0 && i-end >= 3 {
				line++
			}
			p.Words = append(p.Words, words.Word{
				Text: string(rs[i:j]), Line: line, Confidence: 1,
				Box: document.Box{X: 20 + i*charWide, Y: 20 + y*linePitch, W: (j - i) * charWide, H: lineHigh},
			})
			end, i = j, j
			p.Width = max(p.Width, 40+j*charWide)
		}
		line++
		p.Height = 40 + (y+1)*linePitch
	}
	return p
}

// truth is one piece of personal data on a laid out page: its characters [from, to) in row.
type truth struct {
	row, from, to int
	text, kind    string
	free          bool // may go or stay: the state in an address, "years old" behind an age
}

func (t truth) box() document.Box {
	return document.Box{X: 20 + t.from*charWide, Y: 20 + t.row*linePitch, W: (t.to - t.from) * charWide, H: lineHigh}
}

// marked reads "[[John Smith]]" marks out of a text.
func marked(text string) (string, []truth) {
	var all []truth
	rows := strings.Split(text, "\n")
	for y := range rows {
		for {
			a := strings.Index(rows[y], "[[")
			b := strings.Index(rows[y], "]]")
			if a < 0 || b < a {
				break
			}
			value := rows[y][a+2 : b]
			from := len([]rune(rows[y][:a]))
			all = append(all, truth{row: y, from: from, to: from + len([]rune(value)), text: value})
			rows[y] = rows[y][:a] + value + rows[y][b+2:]
		}
	}
	return strings.Join(rows, "\n"), all
}

// covered is the share of a box that findings cover, by columns of pixels.
func covered(b document.Box, found []document.Finding) float64 {
	n := 0
	for x := b.X; x < b.X+b.W; x++ {
		column := document.Box{X: x, Y: b.Y + b.H/4, W: 1, H: b.H / 2}
		if slices.ContainsFunc(found, func(f document.Finding) bool { return f.Box.Intersect(column) == column }) {
			n++
		}
	}
	return float64(n) / float64(max(1, b.W))
}

func atLeast(found []document.Finding, score float64) []document.Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f document.Finding) bool { return f.Score < score })
}

// tally counts what a set of findings did to pages whose truth is known.
type tally struct {
	spans, full  int
	words, burnt int
	missed, over []string
}

func (c *tally) add(p *words.Page, all []truth, found []document.Finding) {
	for _, t := range all {
		if t.free {
			continue
		}
		c.spans++
		if covered(t.box(), found) >= 0.95 {
			c.full++
		} else {
			c.missed = append(c.missed, t.kind+": "+t.text+rowAround(p, t))
		}
	}
	for _, w := range p.Words {
		if slices.ContainsFunc(all, func(t truth) bool { return !t.box().Intersect(w.Box).Empty() }) {
			continue
		}
		c.words++
		if covered(w.Box, found) >= 0.5 {
			c.burnt++
			c.over = append(c.over, w.Text)
		}
	}
}

// rowAround is the row that a truth stands in, for people who look at what was missed.
func rowAround(p *words.Page, t truth) string {
	var b strings.Builder
	b.WriteString("  <")
	for _, w := range p.Words {
		if w.Box.Y == t.box().Y && abs(w.Box.X-t.box().X) < 500 {
			b.WriteString(w.Text + " ")
		}
	}
	return b.String() + ">\n"
}

func (c *tally) recall() float64 { return float64(c.full) / float64(max(1, c.spans)) }
func (c *tally) excess() float64 { return float64(c.burnt) / float64(max(1, c.words)) }
func (c *tally) String() string {
	return fmt.Sprintf("recall %.3f (%d/%d)  over %.3f (%d/%d)", c.recall(), c.full, c.spans, c.excess(), c.burnt, c.words)
}

// values fills the slots of the documents in testdata.
type values struct {
	*rand.Rand
	lists map[string][]string
}

func readValues(t testing.TB) map[string][]string { return readLists(t, "testdata/values.txt") }

func readLists(t testing.TB, file string) map[string][]string {
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lists, name := map[string][]string{}, ""
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			name = strings.Trim(line, "[]")
		case strings.Contains(line, "|"):
			lists[name] = append(lists[name], strings.Split(line, "|")...)
		default:
			lists[name] = append(lists[name], strings.Fields(line)...)
		}
	}
	return lists
}

func (v values) pick(list ...string) string { return list[v.IntN(len(list))] }
func (v values) from(name string) string    { return v.pick(v.lists[name]...) }

// digits writes a form in which # is a digit and @ a capital.
func (v values) form(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '#':
			return rune('0' + v.IntN(10))
		case '@':
			return rune('A' + v.IntN(26))
		}
		return r
	}, s)
}

func (v values) date() string {
	y, m, d := 1930+v.IntN(95), 1+v.IntN(12), 1+v.IntN(28)
	months := strings.Fields("January February March April May June July August September October November December")
	long := months[m-1]
	return v.pick(fmt.Sprintf("%02d/%02d/%d", m, d, y), fmt.Sprintf("%d/%d/%02d", m, d, y%100), fmt.Sprintf("%02d-%02d-%d", m, d, y),
		fmt.Sprintf("%d-%02d-%02d", y, m, d), fmt.Sprintf("%s %d, %d", long, d, y), fmt.Sprintf("%02d-%s-%d", d, long[:3], y),
		fmt.Sprintf("%02d%s%d", d, strings.ToUpper(long[:3]), y), fmt.Sprintf("%02d/%02d/%d", m, d, y), fmt.Sprintf("%s %d %d", long[:3], d, y))
}

// slot returns a value for a slot of a template and whether it is personal.
func (v values) slot(name string) (string, bool) {
	street := func() string {
		return v.form(v.pick("##", "###", "1###")) + " " + v.from("street") + " " + v.from("suffix")
	}
	switch name {
	case "name":
		if v.IntN(4) == 0 {
			return v.from("given") + " " + v.form("@") + ". " + v.from("surname"), true
		}
		return v.from("given") + " " + v.from("surname"), true
	case "first":
		return v.from("given"), true
	case "last":
		return v.from("surname"), true
	case "FIRST":
		return strings.ToUpper(v.from("given")), true
	case "LAST":
		return strings.ToUpper(v.from("surname")), true
	case "date":
		return v.date(), true
	case "dedate":
		return fmt.Sprintf("%02d.%02d.%d", 1+v.IntN(28), 1+v.IntN(12), 1930+v.IntN(90)), true
	case "frdate":
		return fmt.Sprintf("%d %s 20%02d", 2+v.IntN(27), v.pick("mars", "janvier", "février", "juillet", "août"), v.IntN(24)), true
	case "esdate":
		return fmt.Sprintf("%d de %s de 20%02d", 2+v.IntN(27), v.pick("mayo", "enero", "octubre"), 10+v.IntN(14)), true
	case "monthyear":
		return v.pick("March", "June", "May", "October") + fmt.Sprintf(" 20%02d", v.IntN(24)), true
	case "monthday":
		return v.pick("March", "June", "May", "Oct") + fmt.Sprintf(" %d", 1+v.IntN(28)), true
	case "longdate":
		return v.pick("Tuesday", "Friday") + ", March " + v.form("1#, 202#"), true
	case "phone":
		return v.form(v.pick("(4##) 555-01##", "4##-555-01##", "4##.555.01##", "(4##)555-01##", "+1 4## 555 01##")), true
	case "dephone":
		return v.form(v.pick("0711 ######-0", "0711/#######", "+49 711 ######")), true
	case "frphone":
		return v.form(v.pick("01 ## ## ## ##", "+33 1 ## ## ## ##", "06 ## ## ## ##")), true
	case "mrn":
		return v.form(v.pick("########", "#######", "MR-######", "##-##-##", "@#######", "E########")), true
	case "member":
		return v.form(v.pick("@@@#########", "W#########", "#########-01", "1EG4-TE5-MK73", "XQ#@2####")), true
	case "code":
		return v.form(v.pick("@##-####", "20#######", "@@######", "S##-#####")), true
	case "serial":
		return v.form(v.pick("@@@######@", "##########", "RNA######H")), true
	case "ssn":
		return v.form(v.pick("###-##-####", "### ## ####")), true
	case "nir":
		return v.form("1 8# 07 75 ### ### ##"), true
	case "npi":
		return v.form("1#########"), true
	case "dea":
		return v.form("B@#######"), true
	case "pobox":
		return v.form("PO Box 1####"), true
	case "tin":
		return v.form("12-#######"), true
	case "klinik":
		return v.pick("Klinikum am Steinberg", "Marienhospital Stuttgart", "Universitätsklinikum Ulm"), true
	case "frstreet":
		return v.pick("12 rue de la République, 69002 Lyon", "4 bis, avenue Foch, 75116 Paris", "28, chemin des Vignes, 31000 Toulouse"), true
	case "esstreet":
		return v.pick("Calle Mayor 15, 28013 Madrid", "Avda. de la Constitución, 22, 41004 Sevilla", "C/ Aragón 255, 08007 Barcelona"), true
	case "digits4", "digits5", "digits6", "digits7":
		return v.form(strings.Repeat("#", int(name[6]-'0'))), true
	case "initial":
		return v.form("@"), true
	case "street":
		return street(), true
	case "destreet":
		return v.pick("Gartenweg 7, 70190 Stuttgart", "Hauptstr. 12a, 10115 Berlin", "Am Alten Markt 3, 50667 Köln"), true
	case "address":
		return street() + ", " + v.from("city") + ", " + v.from("state") + " " + v.form("4####"), true
	case "city":
		return v.from("city"), true
	case "state":
		return v.from("state"), false
	case "zip":
		return v.form(v.pick("4####", "1####", "4####-####")), true
	case "hospital":
		return v.from("hospital"), true
	case "email":
		return strings.ToLower(v.from("given")) + v.form("##") + v.pick("@gmail.com", "@example.org", "@lakeview-health.org"), true
	case "domain":
		return v.pick("lakeviewhealth.org/pay", "myhealthbill.com"), true
	}
	panic("no slot " + name)
}

var slotMark = regexp.MustCompile(`\{\{([\w:]+)\}\}`)

// spread is how much wider than the template a page is set, so that values fit in columns.
const spread = 1.7

// fill replaces the slots of a template and keeps its columns: what follows three spaces
// or more starts where the template says, times spread.
func (v values) fill(template string) (string, []truth) { return fillWith(template, v.slot) }

func fillWith(template string, slot func(string) (string, bool)) (string, []truth) {
	var all []truth
	rows := strings.Split(strings.TrimRight(template, "\n"), "\n")
	for y, row := range rows {
		var out []rune
		for _, cell := range cellsOf(row) {
			if cell.at > 0 {
				for n := 0; n < 3 || len(out) < int(float64(cell.at)*spread); n++ {
					out = append(out, ' ')
				}
			}
			last := 0
			for _, m := range slotMark.FindAllStringSubmatchIndex(cell.text, -1) {
				out = append(out, []rune(cell.text[last:m[0]])...)
				value, personal := slot(cell.text[m[2]:m[3]])
				var parts []truth
				if strings.Contains(value, "[[") {
					value, parts = marked(value)
					parts = append(parts, truth{to: len([]rune(value)), free: true})
				} else {
					parts = []truth{{to: len([]rune(value)), text: value, free: !personal}}
				}
				for _, p := range parts {
					all = append(all, truth{y, len(out) + p.from, len(out) + p.to, p.text, cell.text[m[2]:m[3]], p.free})
				}
				out = append(out, []rune(value)...)
				last = m[1]
			}
			out = append(out, []rune(cell.text[last:])...)
		}
		rows[y] = string(out)
	}
	return strings.Join(rows, "\n"), all
}

type templateCell struct {
	at   int
	text string
}

var cellGap = regexp.MustCompile(` {3,}`)

func cellsOf(row string) []templateCell {
	var out []templateCell
	at := 0
	for _, m := range cellGap.FindAllStringIndex(row, -1) {
		out = append(out, templateCell{at, row[at:m[0]]})
		at = m[1]
	}
	return append(out, templateCell{at, row[at:]})
}

// readTemplates returns the documents of a folder of testdata, by name.
func readTemplates(t *testing.T, folder string) (names, texts []string) {
	files, err := filepath.Glob("testdata/" + folder + "/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents in testdata/%s: %v", folder, err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		names, texts = append(names, filepath.Base(f)), append(texts, string(b))
	}
	return names, texts
}

// TestCityApartFromItsState: a form has stops for city, state and ZIP code; words before a
// code that are no city stay.
func TestCityApartFromItsState(t *testing.T) {
	for _, text := range []string{
		"Zip\n[[Zporelko]]     NV [[89844]]     Telephone",
		"[[Qwyst Zporfork]]     WV [[25765]]",
		"Units     NV [[89844]]",
	} {
		check(t, text, words.Subject{})
	}
}
