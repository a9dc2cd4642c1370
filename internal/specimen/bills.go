package specimen

import (
	"fmt"
	"image/color"
	"strings"

	"blotter/internal/examples/paper"
)

// claim is a dense form of numbered boxes with small print, like those that insurers take.
func claim(d *desk) made {
	s := d.page()
	x, y := 34.0, 40.0
	width := s.Width - 2*x
	red := color.RGBA{0xb8, 0x2a, 0x2a, 0xff}
	ink := color.Color(color.Black)
	if d.maybe(60) {
		ink = red
	}
	label := d.narrow.at(5.6)
	label.Ink = ink
	value := d.typist.at(8.4)
	title := d.print.strong(11)
	title.Ink = ink
	s.Text(x, y-6, title, d.wording("HEALTH INSURANCE CLAIM FORM", "UNIFORM BILL", "MEDICAL CLAIM", "STATEMENT OF CLAIM"))
	number := 1
	for _, row := range d.claimRows() {
		at := x
		for i, f := range row.fields {
			w := width * row.shares[i]
			d.claimBox(s, at, y, w, 25, ink)
			head := fmt.Sprintf("%d. %s", number, upper(f.label))
			s.Text(at+2, y+7, paper.Fit(label, head, w-4), head)
			s.Text(at+6, y+20, paper.Fit(value, upper2(f.value), w-10), upper2(f.value))
			at += w
			number++
		}
		y += 25
	}
	y = d.claimLines(s, x, y+4, width, ink, label, value)
	s.Text(x+4, y+12, label, "SIGNATURE OF PHYSICIAN OR SUPPLIER")
	d.scrawl(s, x+10, y+14, 110, 20)
	s.Text(x+180, y+28, value, upper2(d.staff(d.doctor))+"  "+d.day(d.today))
	street, town := d.lines(d.crowd.Address("us"))
	s.Text(x+380, y+12, label, "BILLING PROVIDER")
	s.Block(x+380, y+22, 10, d.typist.at(7.6), upper2(d.hospital()), upper2(street), upper2(town))
	return d.onPaper(s)
}

func (d *desk) claimBox(s *paper.Sheet, x, y, w, h float64, ink color.Color) {
	s.Fill(x, y, w, 0.5, ink)
	s.Fill(x, y+h, w, 0.5, ink)
	s.Fill(x, y, 0.5, h, ink)
	s.Fill(x+w, y, 0.5, h, ink)
}

type claimRow struct {
	shares []float64
	fields []field
}

func (d *desk) claimRows() []claimRow {
	street, town := d.lines(d.home)
	who, relation := d.crowd.Relative(d.subject)
	rows := []claimRow{
		{[]float64{0.5, 0.25, 0.25}, []field{{d.wording("Patient's name (last, first, middle)", "Patient name"), marked("name", d.subject.Listed())}, {d.wording("Patient's birth date", "Birthdate"), d.born()}, {"Sex", d.sex()}}},
		{[]float64{0.6, 0.4}, []field{{d.wording("Insured's name", "Name of insured"), marked("name", who.Listed())}, {d.wording("Insured's I.D. number", "Cert. - SSN - HIC - ID No."), marked("health_plan", d.crowd.MemberID())}}},
		{[]float64{0.5, 0.5}, []field{{d.wording("Patient's address", "Street"), street}, {d.wording("City and state", "City / ZIP"), town}}},
		{[]float64{0.35, 0.35, 0.3}, []field{{"Telephone", d.phone()}, {d.wording("Patient relationship to insured", "Rel."), relation}, {d.wording("Insured's policy group", "Insurance group no."), marked("health_plan", d.crowd.Group())}}},
		{[]float64{0.4, 0.3, 0.3}, []field{{d.wording("Referring provider", "Attending"), marked("staff", d.doctor.Full())}, {"NPI", marked("licence", d.crowd.NPI())}, {d.wording("Date of current illness", "Statement covers from"), d.before(60)}}},
		{[]float64{0.3, 0.3, 0.4}, []field{{d.wording("Federal tax I.D.", "Fed. tax no."), marked("code", d.crowd.Account())}, {d.wording("Patient's account no.", "Patient cntl #"), marked("account", d.crowd.Account())}, {d.wording("Prior authorization number", "Treatment auth. codes"), marked("code", d.crowd.Code())}}},
	}
	rest := rows[1:]
	d.rng.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	return rows
}

// claimLines are the services, with their codes and charges.
func (d *desk) claimLines(s *paper.Sheet, x, y, width float64, ink color.Color, label, value paper.Style) float64 {
	shares := []float64{0.2, 0.42, 0.14, 0.14, 0.1}
	heads := []string{"DATE(S) OF SERVICE", "PROCEDURES, SERVICES OR SUPPLIES", "CPT/HCPCS", "CHARGES", "UNITS"}
	diagnosis := strings.Split(one(d, d.book.List("diagnosis")), ";")
	s.Text(x+2, y+9, label, "DIAGNOSIS OR NATURE OF ILLNESS OR INJURY")
	s.Text(x+200, y+9, d.typist.at(7.6), upper(diagnosis[0])+"  "+diagnosis[1])
	y += 14
	for i := range 9 {
		at := x
		cells := heads
		if i > 0 {
			service := strings.Split(one(d, d.book.List("service")), ";")
			cells = []string{d.before(30), upper(service[0]), service[1], service[2], "1"}
		}
		for k, c := range cells {
			d.claimBox(s, at, y, width*shares[k], 20, ink)
			st := d.typist.at(7.6)
			if i == 0 {
				st = label
			}
			s.Text(at+3, y+14, paper.Fit(st, c, width*shares[k]-6), c)
			at += width * shares[k]
		}
		y += 20
	}
	s.Text(x+width*0.62, y+14, value, "TOTAL 1,"+fmt.Sprint(100+d.rng.IntN(800))+".00")
	return y + 24
}

// invoice is a bill to a patient.
func (d *desk) invoice() *paper.Sheet {
	s := d.page()
	x := 52.0
	width := s.Width - 2*x
	y := d.letterhead(s, x)
	s.Text(x, y, d.print.strong(15), d.wording("STATEMENT", "Invoice", "PATIENT BILLING STATEMENT", "Bill for services"))
	street, town := d.lines(d.home)
	body := d.print.at(10)
	s.Block(x, y+24, 13.5, body, d.name(), street, town)
	right := []field{{d.label("account"), marked("account", d.crowd.Account())}, {d.wording("Statement date", "Invoice date", "Date", "Billed"), d.day(d.today)},
		{d.wording("Due date", "Pay by", "Payment due", "Due"), d.after(40)}, {d.wording("Guarantor", "Responsible party"), marked("name", d.written(d.subject))}}
	d.form(s, inline, x+width*0.52, y+12, width*0.48, 1, d.print.at(9.5), right)
	rows := [][]string{{"Date", d.wording("Description", "Service"), d.wording("Code", "CPT"), d.wording("Provider", "By"), d.wording("Amount", "Charge")}}
	for _, service := range some(d, d.book.List("service"), 6+d.rng.IntN(5)) {
		f := strings.Split(service, ";")
		rows = append(rows, []string{d.before(45), f[0], f[1], marked("staff", d.crowd.Person("en", d.today).Short()), f[2]})
	}
	small := d.print.at(8.6)
	y = d.grid(s, x, y+104, 17, []float64{width * 0.19, width * 0.36, width * 0.1, width * 0.22, width * 0.13}, d.print.strong(8.6), small, rows)
	s.Right(x+width, y+20, d.print.strong(11), d.wording("Amount due: $", "Please pay: $", "Balance: $", "TOTAL $")+fmt.Sprintf("%d.%02d", 40+d.rng.IntN(2900), d.rng.IntN(100)))
	y = s.Paragraph(x, y+44, width, 12.5, d.print.at(9), d.wording("Questions about this bill? Call ", "Billing office: ")+d.phone()+d.wording(" or write to ", ", ")+marked("email", "billing@"+slugOf(d.crowd.Organisation("en"))+".example")+". "+
		d.wording("Pay online at ", "Online payment: ")+marked("url", d.crowd.URL(d.subject))+d.wording(" with the code ", ", access code ")+marked("code", d.crowd.Code())+". "+
		d.wording("Electronic payment from the account ending in "+eitherWay("account", "4417")+" was declined.", "Charges that remain after 60 days may be referred for collection."))
	s.Text(x, y+8, d.print.at(9), d.wording("Request received from ", "Viewed online from ")+marked("ip", d.crowd.IP()))
	s.Stroke(0.6, ruleGray, point(x, s.Height-150), point(x+width, s.Height-150))
	s.Text(x, s.Height-134, d.print.at(8), d.wording("Detach and return this part with your payment", "Return this slip with your check"))
	s.Block(x, s.Height-112, 13, body, d.name(), street, town)
	s.Block(x+width*0.55, s.Height-112, 13, body, d.wording("Card number ", "Card no. ")+marked("account", fmt.Sprintf("4%03d %04d %04d %04d", d.rng.IntN(1000), d.rng.IntN(10000), d.rng.IntN(10000), d.rng.IntN(10000))), d.wording("Account ", "Acct. ")+right[0].value)
	return s
}

// windowLetter is a letter folded for an envelope with a window, or the envelope itself.
func windowLetter(d *desk) made {
	if d.maybe(45) {
		return d.envelope()
	}
	s := d.page()
	x := 72.0
	street, town := d.lines(d.home)
	senderStreet, senderTown := d.lines(d.crowd.Address(d.country))
	small, body := d.print.at(7), d.print.at(11)
	s.Text(x, 108, small, d.hospital()+", "+senderStreet+", "+senderTown)
	s.Fill(x, 111, 250, 0.4, color.Black)
	y := s.Block(x, 128, 14, body, d.wording("Mr. and Mrs. ", "The family of ", "To: ", "")+d.name(), street, town)
	s.Right(s.Width-x, 220, body, d.day(d.today))
	s.Text(x, 254, d.print.strong(11), d.wording("Your appointment", "Your test results", "Reminder", "Notice of payment")+" - "+d.wording("ref. ", "our ref. ")+marked("code", d.crowd.Code()))
	s.Text(x, 280, body, "Dear "+d.title()+",")
	y = s.Paragraph(x, max(y, 304), s.Width-2*x, 15, body, d.wording("We have booked a visit for you with ", "You have an appointment with ")+d.colleague()+" on "+d.after(60)+" at "+d.clock()+". "+
		d.wording("Please bring your insurance card and a list of your medicines.", "Please fast for eight hours before the blood test and take your tablets with water.")+" If you cannot come, call "+d.phone()+". "+d.story("plan", 2))
	s.Block(x, y+20, 15, body, d.wording("Yours sincerely,", "Sincerely,"), "", marked("staff", d.crowd.Person("en", d.today).Full()), d.wording("Appointments", "Patient services"))
	return d.onPaper(s)
}

// envelope is seen from its front, with a stamp and a cancelled mark.
func (d *desk) envelope() made {
	s := &paper.Sheet{Width: 684, Height: 297}
	street, town := d.lines(d.crowd.Address("us"))
	s.Block(26, 34, 12, d.print.at(9.5), d.hospital(), street, town)
	set := d.print.at(13)
	if d.maybe(45) {
		set = d.hand
		set.Size = 20
	}
	street, town = d.lines(d.home)
	s.Block(280, 150, set.Size*1.35, set, d.wording("", "Mrs. ", "Mr. ", "")+marked("name", d.subject.Full()), street, town)
	s.Frame(610, 24, 48, 58)
	s.Text(616, 74, d.print.strong(8), "USA 68c")
	for i := range 4 {
		y := 40 + 8*float64(i)
		s.Stroke(1, color.Gray{0x50}, point(500, y), point(540, y+3), point(580, y-2), point(640, y+2))
	}
	s.Circle(440, 26, 54, 54, 1, color.Gray{0x50})
	st := d.print.at(7)
	st.Ink = color.Gray{0x40}
	s.Centre(467, 50, st, d.crowdTown())
	s.Centre(467, 60, st, marked("date", upper(d.today.Format("Jan 02 2006"))))
	page := d.drawOn(s, 200, color.RGBA{0xfa, 0xf8, 0xf2, 0xff})
	if d.maybe(50) {
		return d.asJPEG(d.photographed(page, 1900, d.amount(0, 0.05)), int(d.amount(50, 85)))
	}
	return d.asPNG(d.scanned(page), true)
}

func (d *desk) crowdTown() string { return marked("place", upper(d.crowd.Address("us").Town)) }
