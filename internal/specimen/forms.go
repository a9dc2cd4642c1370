package specimen

import (
	"image/color"
	"strconv"
	"strings"

	"blotter/internal/examples/paper"
)

// intake is a form that a new patient fills in. set is the style of what is filled in.
func (d *desk) intake(set paper.Style) *paper.Sheet {
	s := d.page()
	x := 48.0
	width := s.Width - 2*x
	s.Text(x, 56, d.print.strong(16), d.wording("Patient Registration", "New Patient Intake Form", "PATIENT INFORMATION SHEET", "Registration Form", "Patient Demographics", "ADMISSION RECORD"))
	s.Right(s.Width-x, 56, d.print.at(9), d.hospital())
	s.Fill(x, 62, width, 1, color.Black)
	style, columns := d.fieldStyle(), 2
	if d.half == Publish && style != inline && set.Size < 12 {
		columns = 3
	}
	y := d.form(s, style, x, 72, width, columns, set, d.shuffled(d.person())) + 12
	d.heading(s, x, y+8, width, d.wording("INSURANCE", "Coverage", "Insurance information", "HEALTH PLAN"))
	y = d.form(s, style, x, y+16, width, columns, set, d.shuffled(d.coverage())) + 12
	d.heading(s, x, y+8, width, d.wording("EMERGENCY CONTACT", "Family and contacts", "Next of kin", "WHO TO CALL"))
	y = d.form(s, style, x, y+16, width, columns, set, d.kin()) + 14
	small := d.print.at(9)
	d.heading(s, x, y+8, width, d.wording("MEDICAL HISTORY", "Health history", "Check all that apply", "Have you ever had"))
	y += 26
	for _, row := range [][]string{{"Asthma", "Diabetes", "Stroke", "Cancer"}, {"Crohn's disease", "Parkinson's", "Hypertension", "Hepatitis"}, {"Bell's palsy", "Gout", "Lyme disease", "Depression"}} {
		d.checks(s, x, y, width/4, small, row...)
		y += 16
	}
	if y < s.Height-110 {
		s.Text(x, y+8, small, d.wording("Current medications: ", "Medicines taken: ")+one(d, d.book.List("drug"))+"; "+one(d, d.book.List("drug")))
		d.signHere(s, x, y+46, width)
	}
	return s
}

func (d *desk) person() []field {
	street, town := d.lines(d.home)
	all := []field{{d.label("name"), d.name()}, {d.label("born"), d.born()}, {"Age", d.age()}, {d.label("sex"), d.sex()},
		{d.label("address"), street}, {d.label("town"), town}, {d.label("phone"), d.phone()}, {d.label("mrn"), marked("mrn", d.mrn)}}
	extra := []field{{d.label("ssn"), marked("ssn", d.crowd.SSN())}, {d.label("work"), d.phone()}, {d.label("email"), marked("email", d.crowd.Email(d.subject))},
		{d.label("licence"), marked("licence", d.crowd.Licence())}, {d.label("employer"), d.hospital()},
		{d.wording("Marital status", "Married / single"), d.wording("married", "single")}, {d.wording("Language", "Preferred language"), "English"},
		{d.label("vin"), marked("vehicle", d.crowd.VIN())}, {d.label("plate"), marked("vehicle", d.crowd.Plate())},
		{d.label("pharmacy"), eitherWay("organisation", d.crowd.Organisation("en"))}, {d.wording("Portal", "Web page"), marked("url", d.crowd.URL(d.subject))}}
	return append(all, some(d, extra, 5)...)
}

func (d *desk) coverage() []field {
	all := []field{{d.label("insurance"), d.hospital()}, {d.label("member"), marked("health_plan", d.crowd.MemberID())}, {d.label("group"), marked("health_plan", d.crowd.Group())}}
	if d.maybe(50) {
		all = append(all, field{d.label("subscriber"), d.name()})
	}
	if d.maybe(50) {
		all = append(all, field{d.label("medicare"), marked("health_plan", d.crowd.MBI())})
	}
	return all
}

func (d *desk) kin() []field {
	who, relation := d.crowd.Relative(d.subject)
	return []field{{d.label("emergency"), marked("name", d.written(who))}, {d.label("relationship"), relation}, {d.label("phone"), d.phone()}}
}

// signHere is a line to sign on, with its date.
func (d *desk) signHere(s *paper.Sheet, x, y, width float64) {
	d.scrawl(s, x+20, y-24, 120, 22)
	s.Fill(x, y, width*0.55, 0.6, color.Black)
	s.Text(x, y+10, d.print.at(7.5), d.wording("Signature of patient or guardian", "Patient signature", "Signature", "Signed (patient or representative)"))
	st := d.hand
	st.Size = 13
	s.Text(x+width*0.65, y-3, st, d.day(d.today))
	s.Fill(x+width*0.63, y, width*0.3, 0.6, color.Black)
	s.Text(x+width*0.63, y+10, d.print.at(7.5), "Date")
}

// handStyle is the hand that fills a form in.
func (d *desk) handStyle() paper.Style {
	st := d.hand
	st.Size = 13 + d.amount(0, 3)
	return st
}

// lab is a table of results.
func (d *desk) lab() *paper.Sheet {
	s := d.page()
	x := 46.0
	width := s.Width - 2*x
	y := d.letterhead(s, x)
	s.Text(x, y, d.print.strong(13), d.wording("LABORATORY REPORT", "Laboratory results", "FINAL REPORT", "Results", "CLINICAL LABORATORY", "Cumulative report"))
	y = d.form(s, d.fieldStyle(), x, y+8, width, 2, d.print.at(9.4), d.shuffled([]field{{d.label("name"), d.name()}, {d.label("born"), d.born()},
		{d.label("sex"), d.sex()}, {d.label("mrn"), marked("mrn", d.mrn)}, {d.label("accession"), marked("code", d.crowd.Code())},
		{d.wording("Collected", "Drawn", "Collection date", "Specimen taken"), d.before(3) + " " + eitherWay("date", "07:"+strconv.Itoa(10+d.rng.IntN(49)))},
		{d.wording("Reported", "Report date", "Printed", "Released"), d.day(d.today)}, {d.label("doctor"), d.staff(d.doctor)}})) + 12
	rows := [][]string{{d.wording("Test", "Analyte", "Component", "Name of test"), "Result", d.wording("Units", "Unit"), d.wording("Reference range", "Normal", "Ref. interval", "Expected"), d.wording("Lab", "Tech")}}
	initialled := d.maybe(25)
	for _, l := range some(d, d.book.List("lab"), 13+d.rng.IntN(9)) {
		tech := "01"
		if initialled && d.maybe(30) {
			tech = marked("staff", d.crowd.Person("en", d.today).Letters())
		}
		rows = append(rows, append(strings.Split(l, ";"), tech))
	}
	body := d.print.at(9.2)
	if d.maybe(30) {
		body = d.typist.at(8.4)
	}
	y = d.grid(s, x, y, body.Size*1.7, []float64{width * 0.32, width * 0.17, width * 0.14, width * 0.25, width * 0.12}, d.print.strong(9.2), body, rows)
	y = s.Paragraph(x, y+20, width, 12, d.print.at(8.8), d.wording("Comment: ", "Note: ")+"Results were called to "+d.colleague()+" on "+d.day(d.today)+" at "+d.clock()+
		". H = high, L = low. "+d.wording("Tests performed by a certified laboratory.", "Reference ranges apply to adults."))
	director := d.crowd.Person("en", d.today)
	s.Text(x, y+10, d.print.at(8.8), d.wording("Laboratory director: ", "Verified by: ", "Medical director: ", "Released by ")+d.staff(director)+"   CLIA "+eitherWay("licence", d.crowd.Licence()))
	return s
}

// prescription is a sheet of a pad, half a page.
func (d *desk) prescription() *paper.Sheet {
	s := &paper.Sheet{Width: 420, Height: 560}
	x := 34.0
	y := 44.0
	street, town := d.lines(d.crowd.Address("us"))
	s.Centre(210, y, d.print.strong(14), marked("staff", d.doctor.Formal())+", MD")
	s.Centre(210, y+13, d.print.at(8.5), d.hospital())
	s.Centre(210, y+24, d.print.at(8), street+", "+town)
	s.Centre(210, y+35, d.print.at(8), d.wording("Tel ", "Phone ")+d.phone()+"  "+d.wording("Fax ", "FAX: ")+d.fax())
	s.Centre(210, y+46, d.print.at(8), d.wording("DEA # ", "DEA ")+marked("licence", d.crowd.DEA(d.doctor.Family))+"   "+d.wording("Lic. ", "License ")+marked("licence", d.crowd.Licence())+"   NPI "+marked("licence", d.crowd.NPI()))
	s.Fill(x, y+54, 352, 1, color.Black)
	set := d.print.at(10.5)
	if d.maybe(60) {
		set = d.handStyle()
	}
	home, homeTown := d.lines(d.home)
	y = d.form(s, fieldStyle([]int{int(underlined), int(inline)}[int(d.half)]), x, y+62, 352, 2, set, []field{{d.wording("Name", "Patient", "For", "Patient name"), d.name()}, {d.wording("Date", "Date written"), d.day(d.today)},
		{d.wording("Address", "Addr."), home + ", " + homeTown}, {d.wording("DOB", "Birth date"), d.born()}})
	s.Text(x, y+34, d.print.strong(30), "Rx")
	y += 60
	for i, drug := range some(d, d.book.List("drug"), 1+d.rng.IntN(3)) {
		s.Text(x+24, y, set, strconv.Itoa(i+1)+". "+drug)
		s.Text(x+40, y+set.Size*1.5, set, d.wording("Disp: ", "Dispense ", "Qty ", "# ")+strconv.Itoa(30*(1+d.rng.IntN(3)))+"   "+d.wording("Refills: ", "Refill ")+strconv.Itoa(d.rng.IntN(6)))
		y += set.Size * 3.4
	}
	d.checks(s, x, 478, 170, d.print.at(8.5), "Substitution permitted", "Dispense as written")
	d.scrawl(s, x+170, 494, 130, 24)
	s.Fill(x+150, 522, 202, 0.7, color.Black)
	s.Text(x+150, 532, d.print.at(7.5), d.wording("Signature of prescriber", "Prescriber's signature", "Signature", "M.D."))
	return s
}
