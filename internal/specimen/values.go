package specimen

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"blotter/internal/specimen/people"
)

// marked wraps a value for package paper; a value must go.
func marked(kind, value string) string { return "{" + kind + ":" + value + "}" }

// eitherWay wraps a value that a policy may keep or not.
func eitherWay(kind, value string) string { return "{?" + kind + ":" + value + "}" }

func (d *desk) phone() string { return marked("phone", d.crowd.Phone(d.country)) }
func (d *desk) fax() string   { return marked("fax", d.crowd.Phone(d.country)) }

// day marks a date.
func (d *desk) day(at time.Time) string { return marked("date", d.date(at)) }

// before is a day up to n days before the document's.
func (d *desk) before(n int) string { return d.day(d.today.AddDate(0, 0, -d.rng.IntN(n)-1)) }

// after is a day up to n days behind the document's.
func (d *desk) after(n int) string { return d.day(d.today.AddDate(0, 0, d.rng.IntN(n)+1)) }

// clock is a time of day beside a date: no element of it, and nobody's loss.
func (d *desk) clock() string { return eitherWay("date", d.today.Format("15:04")) }

func (d *desk) born() string { return d.day(d.subject.Born) }

// age is the subject's; only above 89 it must go.
func (d *desk) age() string {
	years := d.subject.Age(d.today)
	if years > 89 {
		return marked("age", strconv.Itoa(years))
	}
	return strconv.Itoa(years)
}

// yearOld is "54-year-old".
func (d *desk) yearOld() string {
	if d.subject.Age(d.today) > 89 {
		return d.age() + eitherWay("age", "-year-old")
	}
	return d.age() + "-year-old"
}

func (d *desk) sex() string {
	if d.subject.Female {
		return d.wording("F", "Female", "Female", "F")
	}
	return d.wording("M", "Male", "Male", "M")
}

// name is the subject's, in one of the forms of forms.
func (d *desk) name() string { return marked("name", d.written(d.subject)) }

// written is a name as a clerk may write it.
func (d *desk) written(p people.Person) string {
	switch d.rng.IntN(12) {
	case 0, 1, 2:
		return p.Listed()
	case 3, 4:
		return p.Formal()
	case 5:
		return strings.ToUpper(p.Listed())
	case 6:
		return strings.ToUpper(p.Full())
	case 7:
		return p.Whole()
	case 8:
		return strings.ToLower(p.Full())
	}
	return p.Full()
}

func (d *desk) staff(p people.Person) string {
	return marked("staff", p.Full()) + ", " + one(d, []string{"MD", "MD", "DO", "M.D.", "MD, FACP", "PA-C", "NP", "MD, PhD"})
}

// colleague is somebody who treats, as "Dr. Family".
func (d *desk) colleague() string {
	p := d.crowd.Person(d.language, d.today)
	return one(d, []string{"Dr. ", "Dr. ", "Doctor "}) + marked("staff", p.Family)
}

// lines of an address: a street is a secret, a state is none.
func (d *desk) lines(a people.Address) (street, town string) {
	street = marked("place", a.Street)
	post, name, region := marked("place", a.Postcode), marked("place", a.Town), ""
	if a.Region != "" {
		region = eitherWay("place", a.Region)
	}
	switch a.Country {
	case "us", "ca", "au":
		return street, name + ", " + region + " " + post
	case "gb":
		return street, name + " " + post
	case "it":
		return street, post + " " + name + " (" + region + ")"
	}
	return street, post + " " + name
}

// address is on one line.
func (d *desk) address(a people.Address) string {
	street, town := d.lines(a)
	return street + ", " + town
}

func (d *desk) hospital() string {
	return eitherWay("organisation", d.crowd.Organisation(d.language))
}

// fill replaces the "$words" of a sentence.
func (d *desk) fill(sentence string) string {
	return os.Expand(sentence, func(key string) string { return d.blank(key) })
}

func (d *desk) blank(key string) string {
	relative, relation := d.crowd.Relative(d.subject)
	he, his, him := "he", "his", "him"
	if d.subject.Female {
		he, his, him = "she", "her", "her"
	}
	switch key {
	case "He":
		return strings.ToUpper(he[:1]) + he[1:]
	case "he":
		return he
	case "His":
		return strings.ToUpper(his[:1]) + his[1:]
	case "his":
		return his
	case "him":
		return him
	case "man":
		return map[bool]string{true: "woman", false: "man"}[d.subject.Female]
	case "Title", "title":
		return d.title()
	case "age":
		return d.yearOld()
	case "relation":
		return relation
	case "relative":
		return marked("name", relative.Full())
	case "Doctor", "doctor":
		if d.language == "en" || d.language == "de" {
			return d.colleague()
		}
		short := map[string]string{"fr": "Dr", "it": "dott.", "es": "Dr.", "nl": "dr.", "pt": "Dr."}[d.language]
		return short + " " + marked("staff", d.crowd.Person(d.language, d.today).Family)
	case "visit":
		return d.before(400)
	case "born":
		return d.born()
	case "address":
		return d.address(d.home)
	case "phone":
		return d.phone()
	case "fax":
		return d.fax()
	case "after":
		return d.after(90)
	case "hospital":
		return d.hospital()
	case "town":
		return marked("place", d.crowd.Address(d.country).Town)
	case "year":
		return eitherWay("date", strconv.Itoa(d.today.Year()-1-d.rng.IntN(15)))
	case "month":
		return marked("date", d.today.AddDate(0, -1-d.rng.IntN(10), 0).Format("January 2006"))
	case "n":
		return strconv.Itoa(2 + d.rng.IntN(9))
	case "bp":
		return fmt.Sprintf("%d/%d", 102+d.rng.IntN(60), 58+d.rng.IntN(36))
	case "hr":
		return strconv.Itoa(52 + d.rng.IntN(56))
	case "drug", "eponym", "complaint":
		return one(d, d.book.List(key))
	case "lab":
		test, _, _ := strings.Cut(one(d, d.book.List(key)), ";")
		return test
	}
	d.fail(fmt.Errorf("no blank is called %q", key))
	return ""
}

func (d *desk) title() string {
	titles := map[string][2]string{"en": {"Mr.", "Mrs."}, "de": {"Herrn", "Frau"}, "fr": {"M.", "Mme"}, "es": {"D.", "Dña."},
		"it": {"il sig.", "la sig.ra"}, "nl": {"dhr.", "mw."}, "pt": {"o Sr.", "a Sra."}}[d.language]
	title := titles[0]
	if d.subject.Female {
		title = titles[1]
	}
	if d.language == "en" {
		return title + " " + marked("name", d.subject.Family)
	}
	return title + " " + marked("name", d.subject.Full())
}

// story writes sentences of the document's specialty about a part, filled in; none twice.
func (d *desk) story(part string, sentences int) string {
	var out []string
	for _, s := range some(d, d.book.Part(d.specialty, part), len(d.told)+sentences) {
		if len(out) < sentences && !d.told[s] {
			d.told[s] = true
			out = append(out, d.fill(s))
		}
	}
	return strings.Join(out, " ")
}
