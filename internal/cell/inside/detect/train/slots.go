package main

import (
	"fmt"
	"strings"

	"blotter/internal/cell/inside/detect"
)

// slot returns a value for a slot and the class that it has.
func (w *writer) slot(name string) (string, uint8) {
	if part, ok := strings.CutPrefix(name, "s"); ok {
		if s := w.personSlot(part); s != "" {
			return s, detect.ClassStaff
		}
	}
	if s := w.personSlot(name); s != "" {
		return s, detect.ClassName
	}
	switch name {
	case "staff", "Staff", "STAFF", "staffish", "stitlelast":
		return w.staff(name), detect.ClassStaff
	case "SLAST":
		return strings.ToUpper(w.last()), detect.ClassStaff
	case "org":
		return w.organisation(), detect.ClassOrganisation
	case "ORG":
		return strings.ToUpper(w.organisation()), detect.ClassOrganisation
	case "date":
		return w.date(), detect.ClassDate
	case "id", "phone", "email", "ext":
		return w.code(name), detect.ClassCode
	case "age":
		return fmt.Sprint(1 + w.IntN(89)), detect.ClassNone
	case "heshe":
		return w.pick("he", "she"), detect.ClassNone
	case "title":
		return w.pick("Mr.", "Mrs.", "Ms.", "Miss"), detect.ClassNone
	}
	if s := w.place(name); s != "" {
		return s, detect.ClassPlace
	}
	if s := w.noise(name); s != "" {
		return s, detect.ClassNone
	}
	panic("train: no slot " + name) // a slip in our own templates
}

func (w *writer) staff(slot string) string {
	switch slot {
	case "STAFF":
		return strings.ToUpper(w.name())
	case "Staff":
		return w.pick("Dr. ", "", "", "DR ") + w.formName()
	case "stitlelast":
		return w.pick("dr ", "Dr. ", "DR ", "nurse ") + w.last()
	}
	return w.name()
}

// personSlot writes the parts and forms of a person's name, "" for a slot that is none.
func (w *writer) personSlot(slot string) string {
	switch slot {
	case "name":
		return w.name()
	case "Name":
		return w.formName()
	case "NAME":
		return strings.ToUpper(w.name())
	case "small":
		return strings.ToLower(w.pick(w.first()+" "+w.last(), w.first()+" "+w.last(), w.last(), w.first()))
	case "first", "First":
		return w.first()
	case "last", "Last":
		return w.last()
	case "FIRST":
		return strings.ToUpper(w.first())
	case "LAST":
		return strings.ToUpper(w.last())
	case "FIRSTf":
		return w.pick(w.first(), strings.ToUpper(w.first()), strings.ToLower(w.first()))
	case "LASTf":
		return w.pick(w.last(), strings.ToUpper(w.last()), strings.ToLower(w.last()))
	case "LASTFIRST":
		return w.listName()
	case "lastsmall":
		return strings.ToLower(w.last())
	case "firstsmall":
		return strings.ToLower(w.first())
	case "word":
		return w.pick(w.givenWords...)
	case "wordname":
		return w.pick(w.givenWords...) + " " + w.pick(w.pick(w.worded...), w.pick(w.surnames...), w.pick(w.givenWords...))
	case "name2":
		return w.first() + " " + w.pick(w.surnames...) + w.pick(" ", " ", " y ") + w.pick(w.surnames...)
	case "initialname":
		return w.initial() + ". " + w.initial() + ". " + w.last()
	case "initial":
		return w.initial()
	case "ini", "pini":
		return w.initials()
	}
	return ""
}

// place writes addresses and their parts.
func (w *writer) place(slot string) string {
	city := w.pick(w.cities...)
	number := fmt.Sprint(1 + w.IntN(200)*w.IntN(50))
	street := number + " " + w.pick(w.pick(w.surnames...), w.pick(w.worded...), w.pick("Main", "Oak", "Second", "Park", "N. Elm", "West 42nd", "Old Mill", "Maple", "Lake View", "Martin Luther King Jr."), w.pick(w.cities...)) +
		" " + w.pick("Street", "St", "St.", "Ave", "Avenue", "Road", "Rd", "Drive", "Dr", "Lane", "Ln", "Blvd", "Court", "Way", "Place", "Circle", "Highway", "Terrace") + w.pick("", "", "", " Apt "+fmt.Sprint(w.IntN(40)), ", Suite 210", " #4B", " Unit 12")
	zip := fmt.Sprintf("%05d", 1000+w.IntN(98000))
	switch slot {
	case "city":
		return city
	case "CITY":
		return strings.ToUpper(city)
	case "street":
		return street
	case "STREET":
		return strings.ToUpper(street)
	case "zip":
		return zip
	case "addr":
		return street + ", " + city + ", " + w.pick(w.states...) + " " + zip
	}
	return w.foreignPlace(slot, city, number, zip)
}

func (w *writer) foreignPlace(slot, city, number, zip string) string {
	who := w.pick(w.surnames...)
	de := w.pick(who+"straße", who+"str.", who+"weg", "Am "+city, who+"platz", who+"gasse", "Am Markt", "Zur "+who+"mühle") + " " + number
	switch slot {
	case "destreet":
		return de
	case "deaddr":
		return de + ", " + w.pick("", "D-") + zip + " " + city
	case "fraddr":
		return number + w.pick(" rue ", " avenue ", " bd ", ", place ", " chemin ", " allée ") + w.pick("de ", "du ", "des ", "") + who + ", " + zip + " " + city
	case "esaddr":
		return w.pick("C/ ", "Calle ", "Avda. de ", "Plaza ", "Paseo de ") + who + w.pick(" ", ", ", " nº ") + number + w.pick("", ", 2º B", ", bajo") + ", " + zip + " " + city
	case "itaddr":
		return w.pick("via ", "Via ", "viale ", "piazza ", "corso ") + who + w.pick(" ", ", ", " n. ") + number + ", " + zip + " " + city
	case "ptaddr":
		return w.pick("Rua ", "Rua da ", "Av. ", "Travessa ", "Largo do ") + who + ", " + number + ", " + zip[:4] + "-" + zip[2:] + " " + city
	}
	return ""
}

// date writes a date in one of many spellings.
func (w *writer) date() string {
	y, m, d := 1925+w.IntN(102), 1+w.IntN(12), 1+w.IntN(28)
	month := strings.Fields("January February March April May June July August September October November December")[m-1]
	return w.pick(fmt.Sprintf("%02d/%02d/%d", m, d, y), fmt.Sprintf("%d/%d/%02d", m, d, y%100), fmt.Sprintf("%d-%02d-%02d", y, m, d), fmt.Sprintf("%s %d, %d", month, d, y), fmt.Sprintf("%d %s %d", d, month[:3], y),
		fmt.Sprintf("%02d.%02d.%d", d, m, y), fmt.Sprintf("%02d-%s-%d", d, strings.ToUpper(month[:3]), y), fmt.Sprintf("%s %d", month, d), fmt.Sprintf("%s %d", month, y), fmt.Sprintf("%d/%d", m, d), fmt.Sprintf("%d.%d.%02d", d, m, y%100))
}

// code writes numbers that name one person or one thing.
func (w *writer) code(slot string) string {
	digits := func(n int) string {
		s := ""
		for range n {
			s += string(rune('0' + w.IntN(10)))
		}
		return s
	}
	switch slot {
	case "phone":
		return w.pick("("+digits(3)+") "+digits(3)+"-"+digits(4), digits(3)+"-"+digits(3)+"-"+digits(4), digits(3)+"."+digits(3)+"."+digits(4), "+"+digits(2)+" "+digits(3)+" "+digits(3)+" "+digits(3), "0"+digits(3)+" "+digits(6), "0"+digits(2)+"/"+digits(7))
	case "email":
		return strings.ToLower(w.pick(w.given...)+w.pick(".", "_", "")+w.pick(w.surnames...)) + w.pick("", digits(2)) + "@" + w.pick("example.org", "mail.test", "clinic.example")
	case "ext":
		return digits(4)
	}
	return w.pick(digits(6), digits(7), digits(8), w.initial()+digits(6), w.initial()+w.initial()+digits(5), digits(3)+"-"+digits(2)+"-"+digits(4), digits(2)+"-"+digits(5), w.initial()+digits(2)+w.initial()+w.initial()+digits(3), digits(3)+" "+digits(3)+" "+digits(3), digits(4)+w.initial())
}
