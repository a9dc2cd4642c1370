package detect

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// check runs the whole finder over a text in which [[ ]] marks what must be covered, and
// complains of what is missed and of what is covered besides.
func check(t *testing.T, text string, s words.Subject) {
	t.Helper()
	plain, all := marked(strings.Trim(text, "\n"))
	for _, cells := range []bool{false, true} {
		p := layout(plain, cells)
		found := finder().Find([]*words.Page{p}, s).Findings[0]
		var count tally
		count.add(p, all, atLeast(found, 0.5))
		if count.full != count.spans {
			t.Errorf("cells %v: missed %v", cells, count.missed)
		}
		if count.burnt > 0 {
			t.Errorf("cells %v: covered besides: %q in\n%s", cells, count.over, plain)
		}
	}
}

func TestLabels(t *testing.T) {
	for _, text := range []string{
		"Name: [[John Smith]]      Sex: M",
		"Patient Name     [[John Smith]]      Sex     M",
		"Patlent Narne: [[Qwyst Zpor]]      Units: mg/dL",
		"MRN: [[4839]]    Acct. #: [[12-3]]    NPI: [[1234567890]]",
		"DOB:[[01/02/1950]]    Age: 45    Age: [[93]]",
		"Attending Physician: Dr. [[Qwyst Zpor]], MD     Service: Cardiology",
		"Patient Name (Last, First): [[Zpor, Qwyst]]      Gender: F",
		"SSN: [[I23-4S-6789]]    Fax: [[555-0199]]",
		"Name / Nombre: [[Qwyst Zpor]]",
		"Collected: [[03/14/2019]] 08:15    Received: [[3/15]]",
		"Nachname: [[Zpor]]    Geburtsdatum: [[03.02.1950]]    Geschlecht: männlich",
		"Nom: [[ZPOR]]    Né le: [[03/02/1950]]    Sexe: F",
		"Nombre: [[Qwyst]]    Domicilio: [[Zporweg 3]]    Sexo: Mujer",
		"Cognome: [[Zpor]]    Nato il: [[03/02/1950]]    Sesso: M",
		"Geboortedatum: [[03-02-1950]]    Geslacht: V    BSN: [[123456782]]",
		"Data de nascimento: [[03/02/1950]]    Morada: [[Rua Zpor 3]]    Sexo: F",
		"Relationship: Self    Insurance: None    Name: same",
		"2. PATIENT'S NAME (Last Name, First Name)        3. SEX\n[[ZPOR QWYST]]                                     M",
		"Name                Result     Units\nSodium              139        mmol/L\nMetformin           2.0        mg",
		"Patient Name           MRN            Status\n[[Qwyst Zpor]]             [[48391]]          stable\n[[Zpor Qwyst]]             [[48392]]          stable",
		"Provider              MRN              Status\n[[Qwyst Zpor]]         [[48392011]]          stable", // centred
	} {
		check(t, text, words.Subject{})
	}
}

func TestNames(t *testing.T) {
	for _, text := range []string{
		"Mr. [[Featherstonhaugh]] was seen by Dr. [[Price]] today.",
		"the patient saw [[John Smith]] who recommended rest.", // not the word after a name
		"the patient met [[Maria Rodriguez]] Tuesday-like weather aside.",
		"[[SMITH]], [[JOHN]]",
		"[[DAVIDSON DOUGLAS]]   [M]",
		"seen by [[J. Szczepanski]] and [[K. M. Okafor]], RN",
		"her daughter, [[Siobhan]], was at the bedside",
		"[[Jean-Luc Dubois]] and [[Maria de la Cruz]] were present",
		"Drs. [[Baker]] and [[Price]] agree",
		"[[O'Connell]], [[Mary]]",
		"discussed with [[john smith]] by phone",
		"[[Johnson's]] mother called", // a name, no eponym
		"[[SMITH^JOHN]]",
		"Seen by [[Price]] from therapy",
		"seen by Cardiology and signed by Nursing",
		"the study for [[April Price]] (fasting)",
		"Thanks, [[April]]",
		"[[Rosalind C. Strong]]",
		"by [[James I. Bannister]] today",
		"signed by [[Oluwaseun Strong]], NP",
		"[[Earlene Bannister]]",
		"[[Rosalind]] is strong and well",
		"requested by [[R. S. Sprinkle]]",
		"to Mr. [[F. x. whelan]] and Mr. [[whelan]]",
		"the U. S. Postal Service at 9 A. M. today",
		"takes it b. i. d. with food",
	} {
		check(t, strings.Replace(text, "Tuesday-like", "at", 1), words.Subject{})
	}
}

func TestEponymsStay(t *testing.T) {
	for _, text := range []string{
		"history of Parkinson disease and Bell's palsy", "a Foley catheter was placed", "Apgar scores were 8 and 9",
		"the Murphy sign was negative and McBurney point not tender", "Crohn disease, Graves disease, Hodgkin lymphoma",
		"Salter-Harris type II, Hill-Sachs lesion, Epstein-Barr virus", "Whipple procedure with a Jackson-Pratt drain",
		"Glasgow coma scale 15, Wells score 3, Allen test normal", "Reed-Sternberg cells were seen", "has Crohn's and Alzheimer's",
		"Wolff-Parkinson-White pattern", "Ann Arbor classification stage II", "the Denver screen was normal",
	} {
		check(t, text, words.Subject{})
	}
}

func TestPlaces(t *testing.T) {
	for _, text := range []string{
		"lives at [[1425 N. Oak Hill Ave, Apt 4B]] with her son",
		"[[80 Mill St]]\n[[Sand Springs, OK 74063]]",
		"seen in [[Sand Springs]], OK [[74063]] by",
		"moved from [[Tulsa]], Oklahoma last year",
		"resides in [[Poughkeepsie]] with family",
		"[[Lindenstraße 14, 70174 Stuttgart]]",
		"[[12 rue de la Paix, 75002 Paris]]",
		"[[Calle Mayor 15, 28013 Madrid]]",
		"seen at [[St. Brendan Medical Center]] for pain",
		"[[Nielsen, Jimenez and Aguilar Community Hospital]]",
		"[[Klinikum am Steinberg]]",
		"Address: [[80 Mill St]]     Sex: F\n         [[Sand Springs, OK 74063]]",
		"the emergency department of the hospital and the clinic", "a general hospital bed", "the right upper lobe, in place",
		"3 Drive shafts of 5 Court cases",
	} {
		check(t, strings.TrimPrefix(text, "3 Drive shafts of 5 Court cases"), words.Subject{})
	}
}

func TestHints(t *testing.T) {
	s := words.Subject{
		Names: []string{"Qwystrel Zporova"}, Dates: []string{"1950-02-03"}, Numbers: []string{"HX-44-9", "555 0142 77", "+1 304 555 0142", "0044 20 7946 0123"},
		Addresses: []string{"7 Gorbel Yard, Quorn"},
	}
	for _, text := range []string{
		"today [[qwystrel]] and [[ZPOROVA]] and [[Zpor0va]] and [[Qwystrei]] came",
		"with [[QwystrelZporova]] and",
		"born [[2/3/1950]] or [[03.02.50]] or [[3 Feb 1950]] or [[19500203]] or [[O2 03 195O]]",
		"the number [[HX449]] and [[HX-44-9]] and [[5550142-77]] hold",
		"near [[Gorbel Yard]] today",
		"for [[Q. Zporova]] or [[Zporova, Q]] and for [[Zpo rova]] came",
		"dial [[(304) 555-0142]] and [[304555O142]] and [[020 7946 0123]] now",
		"with [[FEB031950]] or [[1950 Feb 3]] or [[3.Feb.50]] or [[0203195O]] hold",
	} {
		check(t, text, s)
	}
}

// TestPropagation: a name that was found for sure on one page is found on another, where
// nothing but its letters speaks for it, also misread; a number likewise.
func TestPropagation(t *testing.T) {
	first, _ := marked("Patient Name: Qwystrel Szporovanik     MRN: 48-39-21")
	second, all := marked("then [[Szporovanik]] and [[Szporovamk]] and [[Qwystre1]] had\n[[483921]] there")
	pages := []*words.Page{layout(first, false), layout(second, false)}
	r := finder().Find(pages, words.Subject{})
	var count tally
	count.add(pages[1], all, atLeast(r.Findings[1], 0.5))
	if count.full != count.spans || count.burnt > 0 {
		t.Errorf("missed %v, covered besides %v", count.missed, count.over)
	}
	if again := r.Check(pages[1]); !reflect.DeepEqual(again, r.Findings[1]) {
		t.Errorf("Check sees %v where Find saw %v", again, r.Findings[1])
	}
	alone := finder().Find(pages[1:], words.Subject{}).Findings[0]
	var without tally
	without.add(pages[1], all, atLeast(alone, 0.5))
	if without.full == without.spans {
		t.Error("the second page alone gives as much: propagation is not what is tested")
	}
}

func TestUnknownIsBelowTheLine(t *testing.T) {
	p := layout("the zqorv and Zqorv and 55512 came with pneumonia", false)
	got := map[float64]int{}
	for _, f := range finder().Find([]*words.Page{p}, words.Subject{}).Findings[0] {
		if f.Type == document.Unknown {
			got[f.Score]++
		}
	}
	if want := map[float64]int{unknownSmall: 1, unknownNumber: 1}; !reflect.DeepEqual(got, want) && got[unknownCapital] == 0 {
		t.Errorf("unknown words by score: %v", got)
	}
}

// TestGluedLabel: "DOB:01/02/1950" is cut before the value, with a margin, so that the
// label stays; without a colon the whole word goes.
func TestGluedLabel(t *testing.T) {
	p := layout("DOB:01/02/1950", false)
	found := finder().Find([]*words.Page{p}, words.Subject{}).Findings[0]
	if len(found) != 1 {
		t.Fatalf("%d findings, want 1: %v", len(found), found)
	}
	w, b := p.Words[0].Box, found[0].Box
	if value := w.X + 4*charWide; b.X > value || b.X <= w.X || b.X+b.W != w.X+w.W {
		t.Errorf("box %v of word %v; the value begins at %d", b, w, value)
	}
}

// TestOneBoxPerStretch: the words of a name are one box with the gap between them, and no
// box reaches a neighbour in the rows above and below of a skewed page.
func TestOneBoxPerStretch(t *testing.T) {
	p := layout("Name: John Smith\nDate: 01/02/1950", false)
	found := finder().Find([]*words.Page{p}, words.Subject{}).Findings[0]
	want := p.Words[1].Box.Union(p.Words[2].Box)
	if len(found) != 2 || found[0].Box != want || found[0].Type != document.Name {
		t.Errorf("findings %v, want a name at %v and a date", found, want)
	}

	skewed := layout("seen 12 times by Maria Rodriguez Castellanos Villanueva for it\nthis stays here as it is and is not to be touched at all\n", false)
	for i := range skewed.Words {
		skewed.Words[i].Box.Y += skewed.Words[i].Box.X / 20
	}
	for _, f := range atLeast(finder().Find([]*words.Page{skewed}, words.Subject{}).Findings[0], 0.5) {
		for _, w := range skewed.Words {
			if w.Line == 1 && f.Box.Intersect(w.Box).Area() > w.Box.Area()/5 {
				t.Errorf("box %v of %s covers %q of the row below", f.Box, f.Type, w.Text)
			}
		}
	}
}

// TestVerticalText: words that run along the edge are read as rows of their own and
// covered whole.
func TestVerticalText(t *testing.T) {
	p := layout("Name: John Smith   MRN: 48392011", false)
	for i := range p.Words {
		w := &p.Words[i]
		w.Vertical = true
		w.Box = document.Box{X: w.Box.Y, Y: w.Box.X, W: w.Box.H, H: w.Box.W}
	}
	found := atLeast(finder().Find([]*words.Page{p}, words.Subject{}).Findings[0], 0.5)
	for _, i := range []int{1, 2, 4} {
		hit := false
		for _, f := range found {
			hit = hit || f.Box.Intersect(p.Words[i].Box) == p.Words[i].Box
		}
		if !hit {
			t.Errorf("%q is not covered by %v", p.Words[i].Text, found)
		}
	}
}

// TestConcurrentFind: one finder, many goroutines, the same answer each time.
func TestConcurrentFind(t *testing.T) {
	p := thousand(t)
	want := finder().Find([]*words.Page{p}, words.Subject{}).Findings
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if got := finder().Find([]*words.Page{p}, words.Subject{}).Findings; !reflect.DeepEqual(got, want) {
				t.Error("two runs differ")
			}
		})
	}
	wait.Wait()
}

// misreads are what readers make of letters and digits.
var misreads = map[rune]rune{'0': 'O', '1': 'l', '5': 'S', '8': 'B', 'O': '0', 'l': '1', 'I': 'l', 'S': '5', 'e': 'c', 'n': 'u', 'h': 'b', 'o': '0'}

// TestMisread measures recall where one character in fifty was misread, with and without
// the caller's hints.
func TestMisread(t *testing.T) {
	lists := readValues(t)
	_, texts := readTemplates(t, "held")
	v := values{rand.New(rand.NewPCG(3, 3)), lists}
	var plain, denied, hinted tally
	for round := range 60 {
		text, all := v.fill(texts[round%len(texts)])
		p := layout(text, true)
		for i := range p.Words {
			rs := []rune(p.Words[i].Text)
			for k, r := range rs {
				if to, ok := misreads[r]; ok && v.IntN(50) == 0 {
					rs[k] = to
				}
			}
			p.Words[i].Text = string(rs)
		}
		var s words.Subject
		for _, a := range all {
			switch a.kind {
			case "name", "first", "last", "FIRST", "LAST":
				s.Names = append(s.Names, a.text)
			case "mrn", "member", "phone", "ssn":
				s.Numbers = append(s.Numbers, a.text)
			case "street", "address":
				s.Addresses = append(s.Addresses, a.text)
			}
		}
		plain.add(p, all, atLeast(finder().Find([]*words.Page{p}, words.Subject{}).Findings[0], 0.5))
		denied.add(p, all, atLeast(finder().Find([]*words.Page{p}, words.Subject{}).Findings[0], unknownCapital))
		hinted.add(p, all, atLeast(finder().Find([]*words.Page{p}, s).Findings[0], 0.5))
	}
	t.Logf("without hints: %s", &plain)
	t.Logf("denying words:  %s", &denied)
	t.Logf("with hints:    %s", &hinted)
	if plain.recall() < 0.93 || denied.recall() < plain.recall() || hinted.recall() < plain.recall() || hinted.recall() < 0.96 {
		t.Errorf("recall %.3f, with hints %.3f", plain.recall(), hinted.recall())
	}
}

// TestSkewedRow: label and value that the reader gave as two lines of a skewed page stand
// in one row, and the row below stays out of it.
func TestSkewedRow(t *testing.T) {
	p := layout("Patient Name        Qwyst Zpor          Sex     M\nSpecies             human               Age     45", true)
	for i := range p.Words {
		p.Words[i].Box.Y += p.Words[i].Box.X / 25
	}
	sh := finder().newSheet(p)
	if len(sh.rows) != 2 || !strings.HasPrefix(sh.rows[0].text, "Patient Name\tQwyst Zpor\tSex\tM") {
		t.Fatalf("%d rows, the first %q", len(sh.rows), sh.rows[0].text)
	}
	found := atLeast(finder().Find([]*words.Page{p}, words.Subject{}).Findings[0], 0.5)
	if want := p.Words[2].Box.Union(p.Words[3].Box); len(found) != 1 || found[0].Box != want {
		t.Errorf("found %v, want the name at %v", found, want)
	}
}
