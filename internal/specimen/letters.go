package specimen

import (
	"image/color"
	"math"
	"strings"

	"blotter/internal/examples/paper"
	"blotter/internal/truth"
)

func point(x, y float64) truth.Point { return truth.Point{X: x, Y: y} }

// letterhead sets who writes and returns the baseline below it.
func (d *desk) letterhead(s *paper.Sheet, x float64) float64 {
	right := s.Width - x
	street, town := d.lines(d.crowd.Address(d.country))
	contact := d.wording("Phone ", "Tel. ", "Tel: ", "T: ", "Telephone ", "Ph: ") + d.phone() + "   " + d.wording("Fax ", "Fax: ", "F: ", "FAX ") + d.fax()
	web := marked("url", d.crowd.URL(d.doctor))
	big, small := d.print.strong(15+4*d.rng.Float64()), d.print.at(8.5)
	switch d.variant(4) {
	case 0:
		s.Centre(s.Width/2, 58, big, d.hospital())
		s.Centre(s.Width/2, 72, small, street+", "+town)
		s.Centre(s.Width/2, 84, small, contact)
		s.Fill(x, 92, right-x, 1, color.Black)
		return 118
	case 1:
		d.logo(s, x, 40, 34)
		s.Text(x+44, 58, big, d.hospital())
		s.Text(x+44, 71, small, one(d, d.book.List("specialty")))
		s.Right(right, 52, small, street)
		s.Right(right, 63, small, town)
		s.Right(right, 74, small, contact)
		return 112
	case 2:
		s.Fill(0, 0, s.Width, 26, color.RGBA{0x22, 0x4a, 0x70, 0xff})
		s.Text(x, 54, big, d.hospital())
		s.Text(x, 68, small, street+" | "+town+" | "+contact)
		s.Text(x, 79, small, web)
		return 112
	}
	s.Right(right, 56, big, d.hospital())
	s.Right(right, 70, small, street)
	s.Right(right, 81, small, town)
	s.Right(right, 92, small, contact)
	s.Fill(x, 100, right-x, 0.6, color.Black)
	return 124
}

// logo is a mark without words.
func (d *desk) logo(s *paper.Sheet, x, y, size float64) {
	ink := color.RGBA{uint8(20 + d.rng.IntN(120)), uint8(40 + d.rng.IntN(90)), uint8(60 + d.rng.IntN(130)), 0xff}
	switch d.rng.IntN(3) {
	case 0:
		s.Fill(x+size*0.36, y, size*0.28, size, ink)
		s.Fill(x, y+size*0.36, size, size*0.28, ink)
	case 1:
		s.Circle(x, y, size, size, size*0.1, ink)
		s.Stroke(size*0.07, ink, point(x+size*0.1, y+size*0.5), point(x+size*0.35, y+size*0.5), point(x+size*0.48, y+size*0.2), point(x+size*0.6, y+size*0.8), point(x+size*0.7, y+size*0.5), point(x+size*0.9, y+size*0.5))
	default:
		s.Fill(x, y, size*0.45, size*0.45, ink)
		s.Fill(x+size*0.5, y+size*0.5, size*0.45, size*0.45, ink)
		s.Circle(x+size*0.5, y, size*0.45, size*0.45, size*0.08, ink)
	}
}

// letter is a referral or a reply to one.
func (d *desk) letter() *paper.Sheet {
	s := d.page()
	x := 54 + d.amount(0, 26)
	width := s.Width - 2*x
	body := d.print.at(10 + d.amount(0, 1.4))
	leading := body.Size * 1.34
	y := d.letterhead(s, x)
	s.Text(x, y, body, d.day(d.today))
	recipient := d.crowd.Person("en", d.today)
	street, town := d.lines(d.crowd.Address(d.country))
	y = s.Block(x, y+leading*1.6, leading, body, d.staff(recipient), d.hospital(), street, town)
	y = d.subjectLines(s, x, y+leading*0.5, leading, body)
	y = s.Block(x, y+leading*0.5, leading, body, d.wording("Dear Dr. ", "Dear Doctor ", "Dear Dr ", "Dear colleague, dear Dr. ")+marked("staff", recipient.Family)+d.wording(",", ":"))
	for _, part := range []struct {
		name      string
		sentences int
	}{{"history", 5 + d.rng.IntN(5)}, {"exam", 4 + d.rng.IntN(4)}, {"plan", 3 + d.rng.IntN(5)}} {
		y = s.Paragraph(x, y+leading*0.5, width, leading, body, d.story(part.name, part.sentences))
	}
	y = s.Block(x, y+leading*0.6, leading, body, d.wording("Sincerely,", "With kind regards,", "Yours truly,", "Best regards,", "Respectfully,", "Yours sincerely,"))
	d.sign1(s, x, y+14)
	y = s.Block(x, y+38, leading, body, d.staff(d.doctor), one(d, d.book.List("specialty")))
	if d.maybe(60) {
		s.Text(x, y, body, d.wording("NPI ", "NPI: ", "NPI # ", "NPI No. ")+marked("licence", d.crowd.NPI()))
		y += leading
	}
	if d.maybe(50) {
		copied := d.crowd.Person("en", d.today)
		s.Text(x, y+4, d.print.at(8.5), d.wording("cc: ", "CC: ", "Copy to: ", "c.c. ")+d.staff(copied)+"; "+marked("email", d.crowd.Email(copied)))
	}
	return s
}

// subjectLines say whom a letter is about.
func (d *desk) subjectLines(s *paper.Sheet, x, y, leading float64, body paper.Style) float64 {
	strong := body
	strong.Face = d.print.bold
	switch d.variant(4) {
	case 0:
		s.Text(x, y, strong, "RE: "+d.name()+"   DOB: "+d.born()+"   MRN: "+marked("mrn", d.mrn))
		return y + leading
	case 1:
		return s.Block(x, y, leading, strong, "Regarding: "+d.name(), "Born: "+d.born(), "Chart no.: "+marked("mrn", d.mrn), "Lives at: "+d.address(d.home))
	case 2:
		return s.Block(x, y, leading, body, "Re: "+d.name()+" ("+d.born()+")", "Address: "+d.address(d.home), "Phone: "+d.phone()+"   Record: "+marked("mrn", d.mrn))
	}
	y = s.Block(x, y, leading, strong, "Subject: "+d.wording("consultation for ", "referral of ")+d.name())
	return s.Block(x, y, leading, body, "Date of birth "+d.born()+", hospital number "+marked("mrn", d.mrn)+", telephone "+d.phone())
}

// sign1 signs for the doctor: a scrawl, or the name in a hand.
func (d *desk) sign1(s *paper.Sheet, x, y float64) {
	if d.maybe(50) {
		d.scrawl(s, x, y-14, 110, 22)
		return
	}
	st := d.hand
	st.Size = 17
	s.Text(x, y, st, marked("staff", one(d, []string{d.doctor.Short(), d.doctor.Full()})))
}

// scrawl is a signature that nobody can read: a large first letter, loops that get
// smaller, a flourish.
func (d *desk) scrawl(s *paper.Sheet, x, y, w, h float64) {
	var points []truth.Point
	loops, steps := 4+d.rng.IntN(5), 14
	px := x + 3
	lean, base := 0.2+d.rng.Float64()*0.9, y+h*(0.55+0.15*d.rng.Float64())
	for l := range loops {
		height := h * (0.16 + 0.22*d.rng.Float64())
		if l == 0 || d.maybe(15) {
			height = h * (0.38 + 0.1*d.rng.Float64())
		}
		width := w * 0.8 / float64(loops) * (0.4 + 0.8*d.rng.Float64())
		open := 0.3 + 1.2*d.rng.Float64()
		for i := range steps {
			t := 2 * math.Pi * float64(i) / float64(steps)
			rise := height * (1 - math.Cos(t)) / 2
			points = append(points, point(min(max(px+width*t/(2*math.Pi)+open*height*0.4*math.Sin(t)+lean*rise*0.3, x+1), x+w-1), max(base-rise, y+1)))
		}
		px += width
	}
	points = append(points, point(min(px+w*0.12, x+w), min(base+h*0.2*d.rng.Float64(), y+h-1)))
	if d.maybe(40) {
		points = append(points, point(x+w*0.2, min(base+h*0.3, y+h-1)), point(px, min(base+h*0.22, y+h-1)))
	}
	s.Stroke(0.8+d.rng.Float64()*0.7, d.hand.Ink, points...)
	box := bounds(points)
	s.Area(box[0].X-1, box[0].Y-1, box[2].X-box[0].X+2, box[2].Y-box[0].Y+2, truth.Destroy, "signature")
}

func bounds(points []truth.Point) [4]truth.Point {
	low, high := points[0], points[0]
	for _, p := range points {
		low, high = point(min(low.X, p.X), min(low.Y, p.Y)), point(max(high.X, p.X), max(high.Y, p.Y))
	}
	return truth.Rect(low.X, low.Y, high.X, high.Y)
}

// report is in two columns, as some transcription services print.
func (d *desk) report() *paper.Sheet {
	s := d.page()
	x := 50.0
	body := d.print.at(8.8 + d.amount(0, 1))
	leading := body.Size * 1.32
	y := d.letterhead(s, x)
	s.Text(x, y, d.print.strong(13), d.wording("CONSULTATION REPORT", "Clinical report", "OPERATIVE AND CLINICAL NOTE", "Consultation note", "PROGRESS NOTE", "Specialist report"))
	y = d.form(s, d.fieldStyle(), x, y+10, s.Width-2*x, 2, d.print.at(9), d.shuffled([]field{
		{d.label("name"), d.name()}, {d.label("born"), d.born()}, {d.label("mrn"), marked("mrn", d.mrn)},
		{d.label("visit"), d.day(d.today)}, {d.label("doctor"), d.staff(d.doctor)}, {d.label("account"), marked("account", d.crowd.Account())}}))
	column := (s.Width - 2*x - 20) / 2
	top := y + 24
	for i, parts := range [][]string{{"history", "exam"}, {"course", "plan"}} {
		at, cx := top, x+float64(i)*(column+20)
		for k, part := range parts {
			d.heading(s, cx, at, column, d.partTitle(part, i+k))
			at = s.Paragraph(cx, at+leading+2, column, leading, body, d.story(part, 8+d.rng.IntN(4))) + leading
		}
		if i == 1 {
			d.sign1(s, cx, at+18)
			y = s.Paragraph(cx, at+36, column, leading, body, d.wording("Dictated by: ", "Electronically signed by ", "Signed: ", "Authenticated by ")+d.staff(d.doctor))
			s.Paragraph(cx, y, column, leading, body, "D: "+d.day(d.today)+"  T: "+d.after(4)+"  "+d.wording("Job ", "Doc ID ")+marked("code", d.crowd.Code()))
		}
	}
	return s
}

func (d *desk) partTitle(part string, n int) string {
	titles := map[string][]string{
		"history": {"HISTORY OF PRESENT ILLNESS", "History", "PAST MEDICAL HISTORY", "Reason for visit and history"},
		"exam":    {"PHYSICAL EXAMINATION", "Findings", "OBJECTIVE", "Examination and results"},
		"course":  {"HOSPITAL COURSE", "Course of stay", "COURSE AND TREATMENT", "What was done"},
		"plan":    {"ASSESSMENT AND PLAN", "Recommendations", "IMPRESSION", "Plan"},
	}[part]
	return titles[(2*n+int(d.half))%len(titles)]
}

// discharge is a summary of a stay, on two pages.
func (d *desk) discharge() []*paper.Sheet {
	x := 56.0
	body := d.print.at(10.2)
	leading := body.Size * 1.35
	var pages []*paper.Sheet
	for number, parts := range [][]string{{"history", "exam", "course"}, {"course", "plan", "plan"}} {
		s := d.page()
		width := s.Width - 2*x
		y := 60.0
		if number == 0 {
			y = d.letterhead(s, x)
			s.Text(x, y, d.print.strong(14), d.wording("DISCHARGE SUMMARY", "Discharge Summary", "Hospital Discharge Summary", "SUMMARY OF HOSPITALIZATION"))
			y = d.form(s, d.fieldStyle(), x, y+8, width, 2, d.print.at(9.6), d.stay()) + 24
		} else {
			s.Text(x, y, d.print.at(8.5), d.wording("Patient: ", "Name: ")+marked("name", d.subject.Listed())+"   MRN: "+marked("mrn", d.mrn)+"   "+d.wording("Page 2 of 2", "p. 2/2"))
			y += 30
		}
		for k, part := range parts {
			d.heading(s, x, y, width, d.partTitle(part, number+k))
			y = s.Paragraph(x, y+leading+2, width, leading, body, d.story(part, 6+d.rng.IntN(4))) + leading
		}
		if number == 1 {
			d.heading(s, x, y, width, d.wording("DISCHARGE MEDICATIONS", "Medications at discharge", "MEDICATION LIST", "Home medications"))
			y += leading + 2
			for i, drug := range some(d, d.book.List("drug"), 6) {
				s.Text(x+8, y, body, string(rune('1'+i))+". "+drug)
				y += leading
			}
			d.sign1(s, x, y+24)
			s.Block(x, y+42, leading, body, d.staff(d.doctor), d.wording("Dictated ", "Signed ")+d.day(d.today)+" "+d.clock())
		}
		s.Centre(s.Width/2, s.Height-30, d.print.at(7.5), d.wording("CONFIDENTIAL PATIENT INFORMATION", "This document contains protected health information"))
		pages = append(pages, s)
	}
	return pages
}

func (d *desk) stay() []field {
	return d.shuffled([]field{{d.label("name"), d.name()}, {d.label("born"), d.born()}, {d.label("mrn"), marked("mrn", d.mrn)},
		{d.wording("Admission date", "Admitted", "Date of admission", "Admit Date"), d.before(12)}, {d.wording("Discharge date", "Discharged", "Date of discharge", "Disch. Date"), d.day(d.today)},
		{d.wording("Attending physician", "Attending", "Attending MD", "Responsible physician"), d.staff(d.doctor)}, {d.label("visitnumber"), marked("code", d.crowd.Code())},
		{"Age", d.age()}, {d.label("sex"), d.sex()}, {d.wording("Ward", "Unit"), one(d, []string{"5 West", "ICU", "3 North", "Telemetry", "Med/Surg"})}})
}

func (d *desk) shuffled(fields []field) []field {
	rest := fields[1:] // whose paper it is stands first nearly everywhere
	d.rng.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	return fields
}

func upper(s string) string { return strings.ToUpper(s) }
