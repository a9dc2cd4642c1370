package detect

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// TestPatterns holds for every pattern a value that it finds, as its type, and that is
// covered whole.
func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		typ  document.Type
		text string // what is between [[ and ]] must be covered, nothing else
	}{
		{document.Date, "seen on [[03/14/2019]] today"},
		{document.Date, "seen on [[3-4-19]] today"},
		{document.Date, "printed [[28/06/20183]]:11:35 PM"}, // a lost space
		{document.Date, "seen [[1988Jun 09]] today"},
		{document.Date, "stamped [[2/3/93]] and [[6/27/89]]"},
		{document.Date, "seen [[2019-03-14]] today"},
		{document.Date, "seen [[O3/l4/2O19]] today"},
		{document.Date, "seen [[March 3, 2019]] today"},
		{document.Date, "seen [[3rd of March 2019]] today"},
		{document.Date, "seen [[14MAR2019]] today"},
		{document.Date, "seen [[2019 Jul 11]] today"},
		{document.Date, "am [[12. März 2021]] vorgestellt"},
		{document.Date, "le [[1er février 2021]] au matin"},
		{document.Date, "acude el [[3 de mayo de 2021]] con fiebre"},
		{document.Date, "was born [[03.02.1950]] there"},
		{document.Date, "again on [[3/14]] for pain"},
		{document.Date, "until [[August]] of that"},
		{document.Date, "over [[Christmas]] he fell"},
		{document.Date, "came on [[Tuesday]] with pain"},
		{document.Date, "vom [[03.02.]] bis heute"},
		{document.Date, "labs drawn [[6/1]] were"},
		{document.IP, "host [[00-1A-2B-3C-4D-5E]] or"},
		{document.IP, "host [[00:1A:2B:3C:4D:5E]] or"},
		{document.Place, "on [[rural route 3 box 12]] there"},
		{document.Code, "uid [[1.2.840.113619.2.55.3]] in"},
		{document.Age, "a [[92-year-old]] woman"},
		{document.Age, "a [[101 y/o]] man"},
		{document.Phone, "call [[(555) 123-4567]] now"},
		{document.Phone, "call [[555.123.4567 x123]] now"},
		{document.Phone, "call [[+49 711 1234567]] now"},
		{document.Phone, "call [[01 23 45 67 89]] now"},
		{document.Phone, "call [[020 7946 0958]] now"},
		{document.Phone, "call [[1-800-555-0199]] now"},
		{document.Email, "write to [[jane.doe@example.org]] now"},
		{document.URL, "see [[www.example.org/a]] now"},
		{document.URL, "see [[example.com]] now"},
		{document.IP, "from [[192.168.10.24]] at"},
		{document.SSN, "number [[123-45-6789]] is"},
		{document.SSN, "number [[xxx-xx-6789]] is"},
		{document.SSN, "number [[943 476 5919]] is"},
		{document.SSN, "number [[AB 12 34 56 C]] is"},
		{document.HealthPlan, "number [[1EG4-TE5-MK73]] is"},
		{document.Licence, "number [[1234567893]] is"},
		{document.Licence, "number [[AB1234563]] is"},
		{document.Vehicle, "number [[1HGCM82633A004352]] is"},
		{document.Device, "code [[(01)00844588003288(17)141120]] is"},
		{document.Account, "from [[DE89370400440532013000]] at"},
		{document.Account, "card [[4111 1111 1111 1111]] is"},
		{document.Code, "number [[48392011]] is"},
		{document.Code, "number [[AB-48392]] is"},
		{document.Code, "number [[QX7L2M]] is"},
		{document.Place, "to [[P.O. Box 1234]] there"},
		{document.Place, "near [[SW1A 1AA]] there"},
	} {
		text, all := marked(c.text)
		p := layout(text, false)
		sh := finder().newSheet(p)
		found := merge(sh, finder().patterns(sh))
		var count tally
		count.add(p, all, found)
		if count.full != count.spans || count.burnt > 0 {
			t.Errorf("%q: missed %q, burnt %q", c.text, count.missed, count.over)
		}
		hasType := false
		for _, f := range found {
			hasType = hasType || f.Type == c.typ
		}
		if !hasType {
			t.Errorf("%q: not found as %s", c.text, c.typ)
		}
	}
}

// A number within a longer one of a more definite form has that one's type alone: a policy
// may keep the years of dates.
func TestPartsOfNumbersHaveTheTypeOfTheWhole(t *testing.T) {
	for text, want := range map[string]document.Type{
		"from 10.20.30.40 at":             document.IP,
		"numéro 1 85 07 33 063 123 45 du": document.SSN,
		"seen 10.20.30 at":                document.Date,
		"call 07 33 063 123 45 now":       document.Phone,
	} {
		found := finder().Find([]*words.Page{layout(text, false)}, words.Subject{}).Findings[0]
		for _, f := range found {
			if f.Type != want {
				t.Errorf("%q: found as %s", text, f.Type)
			}
		}
		if len(found) != 1 {
			t.Errorf("%q: %d findings", text, len(found))
		}
	}
}

// TestPatternsLeave holds what looks like personal data and is a measurement.
func TestPatternsLeave(t *testing.T) {
	for _, text := range []string{
		"BP 120/80 HR 71 RR 16 T 98.6 SpO2 97%", "strength 5/5, pain 5/10, 20/20 vision", "in 2019 he was 64 years old",
		"sodium 139 mmol/L 135-145 and WBC 6.7", "metformin 500 mg 2 times daily", "L4-5 and L5-S1, T12, C5-6", "HbA1c 8.1, vitamin B12 412",
		"ICD-10 E11.9 J45.909 I10", "A 2.5 x 3.1 x 4.0 cm mass", "0.70-1.30 mg/dL", "may be seen in 2 weeks", "platelets 250,000", "1,200 mL", "grade 3/6 murmur",
	} {
		sh := finder().newSheet(layout(text, false))
		for _, s := range finder().patterns(sh) {
			if s.score == youngAge {
				continue // found for policies that want it, below the line
			}
			t.Errorf("%q: %s found in %q", text, s.typ, sh.phrase(s.from, s.to))
		}
	}
}

func TestPatternAcrossLineBreak(t *testing.T) {
	text, all := marked("The patient was last seen by us on the [[3rd of March]]\n[[2019]] and did well in general, without complaints.\n")
	p := layout(text, false)
	sh := finder().newSheet(p)
	var count tally
	count.add(p, all, merge(sh, finder().patterns(sh)))
	if count.full != 2 {
		t.Errorf("missed %q", count.missed)
	}
}

// TestHostileRow gives the layers rows that no person wrote. What a row takes grows with
// its length, not with the square of it: four times the row, some four times the time.
func TestHostileRow(t *testing.T) {
	const slack = 2 * time.Second // of processor time, which other work on the machine lengthens
	for _, c := range []struct {
		text  string
		times int
	}{
		{"1", 200_000}, {"1 ", 20_000}, {"a@", 20_000}, {"(", 20_000},
		{"Jan ", 5_000}, {"SMITH, JOHN ", 3_000}, {"Name: ", 5_000}, {"0/", 20_000},
		{"St. ", 5_000}, {"Name\n", 3_000}, {"Name   Date\nx   1\n", 1_000}, {"1Aaa", 20_000}, {"1   ", 5_000}, {"x   ", 5_000}, {"A\n", 3_000}, {"\u0301", 5_000},
	} {
		short := cpuTime(t, func() { spansOf(layout(strings.Repeat(c.text, c.times/4), true)) })
		long := cpuTime(t, func() { spansOf(layout(strings.Repeat(c.text, c.times), true)) })
		if long > 8*short+slack {
			t.Errorf("%d times %q took %v, a quarter of it %v", c.times, c.text, long, short)
		}
	}
}

// cpuTime is the processor time that this thread spends on f: other work on the machine
// hardly changes it.
func cpuTime(t *testing.T, f func()) time.Duration {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	now := func() time.Duration {
		var u unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	began := now()
	f()
	return now() - began
}
