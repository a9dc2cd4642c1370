package specimen

import (
	"fmt"
	"image/color"
	"strings"

	"blotter/internal/examples/paper"
)

// handwrittenNote is a lined sheet that a nurse or a physician wrote on.
func handwrittenNote(d *desk) made {
	s := d.page()
	x := 64.0
	st := d.hand
	st.Size = 15 + d.amount(0, 4)
	lead := st.Size * 1.5
	s.Text(x, 54, d.print.strong(13), d.wording("PROGRESS NOTES", "Nursing notes", "CONTINUATION SHEET", "Visit notes"))
	y := d.form(s, d.fieldStyle(), x, 62, s.Width-2*x, 2, d.print.at(9.5), []field{{d.label("name"), d.name()}, {d.label("mrn"), marked("mrn", d.mrn)}}) + lead
	for line := y + 3; line < s.Height-50; line += lead {
		s.Fill(x-8, line, s.Width-2*x+16, 0.4, color.RGBA{0x90, 0xa8, 0xc8, 0xff})
	}
	for range 3 {
		s.Text(x, y, st, d.before(5)+"  "+d.clock())
		y = s.Paragraph(x, y+lead, s.Width-2*x-10, lead, st, d.story("history", 1)+" "+d.story("exam", 1)+" "+d.story("plan", 1))
		s.Text(x+220, y, st, marked("staff", one(d, []string{d.crowd.Person("en", d.today).Short(), d.crowd.Person("en", d.today).Full()}))+" "+one(d, []string{"RN", "MD", "LPN"}))
		if y += 2 * lead; y > s.Height-190 {
			break
		}
	}
	return d.onPaper(s)
}

// deviceCard is what somebody with an implant carries.
func deviceCard(d *desk) made {
	s := &paper.Sheet{Width: 262, Height: 166}
	s.Fill(0, 0, 262, 26, color.RGBA{0x1c, 0x50, 0x58, 0xff})
	head := d.print.strong(11)
	head.Ink = color.White
	s.Text(10, 18, head, d.wording("IMPLANT IDENTIFICATION CARD", "Pacemaker Patient ID", "MEDICAL DEVICE IDENTIFICATION", "Patient Device Card"))
	d.form(s, []fieldStyle{underlined, inline}[d.half], 10, 34, 242, 1, d.print.at(8.2), []field{{d.label("name"), d.name()},
		{d.wording("Implanted", "Implant date"), d.before(2000)}, {d.wording("Device", "Model"), d.wording("Dual-chamber pacemaker DDDR", "Knee system, cemented, size 4", "Implantable defibrillator", "Cochlear implant, right")},
		{d.label("device"), marked("device", d.crowd.Serial())}, {d.wording("Lot", "UDI"), marked("device", d.crowd.Serial())},
		{d.wording("Implanted by", "Surgeon"), d.staff(d.doctor)}, {d.wording("Hospital", "Implanting centre"), d.hospital()}})
	s.Text(10, 158, d.print.at(6.6), d.wording("MR conditional. Show this card to security staff. ", "Carry this card at all times. ")+d.phone())
	card := d.drawOn(s, 400, color.RGBA{0xf8, 0xfa, 0xf8, 0xff})
	if d.maybe(60) {
		return d.asJPEG(d.photographed(card, 1500, d.amount(0, 0.06)), int(d.amount(50, 88)))
	}
	return d.asPNG(d.scanned(d.onGlass(card)), true)
}

// ambulance is a run sheet: places, vehicles, times and vital signs in small boxes.
func ambulance(d *desk) made {
	s := d.page()
	x := 40.0
	width := s.Width - 2*x
	s.Text(x, 52, d.print.strong(13), d.wording("PREHOSPITAL CARE REPORT", "Ambulance run sheet", "EMS PATIENT CARE REPORT", "Emergency transport record"))
	set := d.print.at(9.4)
	if d.maybe(40) {
		set = d.handStyle()
		set.Size = 12.5
	}
	scene, town := d.lines(d.crowd.Address("us"))
	y := d.form(s, d.fieldStyle(), x, 62, width, 2, set, d.shuffled([]field{{d.label("name"), d.name()}, {d.label("born"), d.born()}, {"Age", d.age()}, {d.label("sex"), d.sex()}, {d.label("phone"), d.phone()},
		{d.wording("Incident no.", "Run number", "Call #", "Case no."), marked("code", d.crowd.Code())}, {d.wording("Location", "Scene", "Pick-up address", "Incident address"), scene}, {d.wording("City", "Town"), town},
		{d.wording("Unit", "Vehicle"), "Medic " + eitherWay("vehicle", fmt.Sprint(1+d.rng.IntN(40)))}, {d.label("plate"), marked("vehicle", d.crowd.Plate())}, {d.label("vin"), marked("vehicle", d.crowd.VIN())},
		{d.wording("Crew", "Attendant"), marked("staff", d.crowd.Person("en", d.today).Short()) + ", EMT-P"}, {d.wording("Monitor S/N", "Defibrillator serial"), marked("device", d.crowd.Serial())},
		{"Date", d.day(d.today)}, {d.wording("Destination", "Receiving hospital"), d.hospital()}})) + 14
	rows := [][]string{{"Time", "BP", "Pulse", "Resp", "SpO2", "GCS", "Glucose"}}
	for i := range 4 {
		rows = append(rows, []string{d.today.Format("15:") + fmt.Sprintf("%02d", 8*i+3), d.blank("bp"), d.blank("hr"), fmt.Sprint(12 + d.rng.IntN(12)), fmt.Sprintf("%d%%", 90+d.rng.IntN(10)), "15", fmt.Sprint(80 + d.rng.IntN(120))})
	}
	w := width / 7
	y = d.grid(s, x, y, 17, []float64{w, w, w, w, w, w, w}, d.print.strong(9), d.print.at(9), rows) + 18
	d.heading(s, x, y, width, d.wording("NARRATIVE", "Comments", "Chief complaint and narrative", "REMARKS"))
	y = s.Paragraph(x, y+16, width, 13.5, d.print.at(9.6), d.story("history", 4)+" "+d.story("exam", 3)+" "+d.story("course", 2))
	if y < s.Height-80 {
		d.signHere(s, x, y+44, width)
	}
	return d.onPaper(s)
}

// memo is typed in capitals on a typewriter: a note to the file.
func memo(d *desk) made {
	s := d.page()
	x := 66.0
	st := d.typist.at(10.5)
	lead := 15.5
	rows := []string{"TO:      " + upper2(d.staff(d.doctor)), "FROM:    " + upper2(marked("staff", d.crowd.Person("en", d.today).Full())), "DATE:    " + upper2(d.day(d.today)),
		"SUBJECT: " + upper2(d.name()) + "  " + d.wording("CHART ", "RECORD ") + marked("mrn", d.mrn)}
	for i := range rows {
		label, value, _ := strings.Cut(rows[i], ":")
		s.Text(x, 80+lead*float64(i), st, label+":")
		s.Text(x+66, 80+lead*float64(i), st, strings.TrimSpace(value))
	}
	s.Fill(x, 80+lead*3.5, s.Width-2*x, 0.8, color.Black)
	y := 80 + lead*5
	for _, part := range []string{"history", "exam", "plan"} {
		text := d.story(part, 5)
		if d.half == Tune {
			text = upper2(text)
		}
		y = s.Paragraph(x, y, s.Width-2*x, lead, st, text) + lead
	}
	s.Text(x, y+10, st, marked("staff", d.doctor.Letters())+"/"+marked("staff", strings.ToLower(d.crowd.Person("en", d.today).Letters())))
	return d.onPaper(s)
}
