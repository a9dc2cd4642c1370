package specimen

import (
	"image/color"
	"strings"

	"blotter/internal/examples/paper"
)

// insuranceCard is a photo of a card of 85.6 × 54 mm (ISO/IEC 7810 ID-1).
func insuranceCard(d *desk) made {
	s := &paper.Sheet{Width: 242.6, Height: 153}
	brand := color.RGBA{uint8(d.rng.IntN(90)), uint8(50 + d.rng.IntN(70)), uint8(80 + d.rng.IntN(110)), 0xff}
	head, label, value, small := d.print.strong(12), d.print.at(6), d.print.strong(8.6), d.print.at(6.3)
	fields := []field{{d.wording("Member name", "Member", "Name", "Subscriber name"), marked("name", upper(d.subject.Formal()))},
		{d.label("member"), marked("health_plan", d.crowd.MemberID())}, {d.label("group"), marked("health_plan", d.crowd.Group())},
		{d.label("born"), d.born()}, {d.wording("Effective", "Coverage begins", "Eff. date", "Effective date"), d.before(500)},
		{d.wording("PCP", "Primary care", "Primary physician", "Doctor"), d.staff(d.doctor)}}
	if d.variant(2) == 0 {
		s.Fill(0, 0, 242.6, 30, brand)
		head.Ink = color.White
		s.Text(12, 20, head, d.hospital())
		for i, f := range fields {
			x, y := 12.0+128*float64(i/3), 43.0+24*float64(i%3)
			s.Text(x, y, label, f.label)
			s.Text(x, y+10, paper.Fit(value, f.value, 112-14*float64(i/3)), f.value)
		}
		s.Fill(12, 112, 218, 0.6, brand)
	} else {
		d.logo(s, 12, 10, 20)
		s.Text(38, 25, head, d.hospital())
		s.Fill(0, 36, 242.6, 2, brand)
		for i, f := range fields {
			s.Text(12, 50+11.5*float64(i), label, f.label)
			s.Text(80, 50+11.5*float64(i), paper.Fit(value, f.value, 152), f.value)
		}
	}
	s.Text(12, 126, small, d.wording("Office visit $25   Specialist $45   ER $150", "PCP $20  SPEC $40  URGENT CARE $60  ER $200"))
	s.Text(12, 135, small, "RxBIN "+eitherWay("health_plan", d.wording("610014", "003858"))+"   RxPCN "+eitherWay("health_plan", d.wording("MEDDPRIME", "A4"))+"   "+d.wording("Deductible $1,500", "Coinsurance 20%"))
	s.Text(12, 145, small, d.wording("Customer service ", "Member services ")+eitherWay("phone", "1-800-555-01"+string(rune('0'+d.rng.IntN(10)))+string(rune('0'+d.rng.IntN(10)))))
	front := d.drawOn(s, 430, color.RGBA{0xf3, 0xf5, 0xf8, 0xff})
	return d.asJPEG(d.photographed(front, 1500, d.amount(0.01, 0.07)), int(d.amount(50, 88)))
}

// identityCard is a licence to drive, or a pass of staff, with a face.
func identityCard(d *desk) made {
	s := &paper.Sheet{Width: 242.6, Height: 153}
	street, town := d.lines(d.home)
	label, value := d.print.at(5.6), d.print.strong(7.8)
	tint := color.RGBA{uint8(200 + d.rng.IntN(40)), uint8(210 + d.rng.IntN(40)), uint8(214 + d.rng.IntN(40)), 0xff}
	s.Fill(0, 0, 242.6, 26, color.RGBA{0x28, 0x3c, 0x60, 0xff})
	head := d.print.strong(12)
	head.Ink = color.White
	s.Text(10, 18, head, eitherWay("place", d.home.Region)+" "+d.wording("DRIVER LICENSE", "IDENTIFICATION CARD", "Driver's License", "OPERATOR LICENSE"))
	left, faceX := 88.0, 10.0
	if d.half == Publish {
		left, faceX = 12, 168
	}
	d.portrait(s, faceX, 34, 64, 86)
	y := 38.0
	for _, f := range []field{{d.wording("DL", "4d LIC. NO.", "LIC NO", "ID"), marked("licence", d.crowd.Licence())}, {d.wording("LN", "1", "Last", "FAMILY NAME"), marked("name", upper(d.subject.Family))},
		{d.wording("FN", "2", "First", "GIVEN NAMES"), marked("name", upper(strings.TrimSpace(d.subject.Given+" "+d.subject.Middle)))}, {d.wording("ADDR", "8", "Address", "RESIDENCE"), upper2(street)},
		{"", upper2(town)}, {d.wording("DOB", "3 DOB", "Born", "BIRTH"), d.born()}, {d.wording("EXP", "4b EXP", "Expires", "VALID UNTIL"), d.after(1500)}, {d.wording("ISS", "4a ISS", "Issued", "ISSUED"), d.before(900)}} {
		s.Text(left, y, label, f.label)
		s.Text(left+36, y, paper.Fit(value, f.value, map[Half]float64{Tune: 112, Publish: 114}[d.half]), f.value)
		y += 12.4
	}
	s.Text(left, y+1, label, d.wording("SEX", "15 SEX")+" "+d.sex()+"   "+d.wording("HGT", "16 HGT")+" 5'-07\"   "+d.wording("EYES", "18 EYES")+" BRO")
	card := d.drawOn(s, 430, tint)
	if d.maybe(50) {
		return d.asPNG(d.scanned(d.onGlass(card)), true)
	}
	return d.asJPEG(d.photographed(card, 1400, d.amount(0.0, 0.06)), int(d.amount(50, 88)))
}

// upper2 capitalises the values of marked-up text and leaves their marks alone.
func upper2(markup string) string {
	var out strings.Builder
	for markup != "" {
		head, rest, found := strings.Cut(markup, "{")
		out.WriteString(upper(head))
		if !found {
			break
		}
		kind, value, _ := strings.Cut(rest, ":")
		value, markup, _ = strings.Cut(value, "}")
		out.WriteString("{" + kind + ":" + upper(value) + "}")
	}
	return out.String()
}

// onGlass lays a small card on the white glass of a scanner.
func (d *desk) onGlass(card drawing) drawing {
	w, h := card.Image.Rect.Dx(), card.Image.Rect.Dy()
	m := paper.Mapping{1, 0, 90 + 60*d.rng.Float64(), 0, 1, 90 + 60*d.rng.Float64(), 0, 0, 1}
	return carried(card, blank(w+260, h+260, color.Gray{0xfa}), m)
}

// wristband is a strip of plastic with a code, printed by heat.
func wristband(d *desk) made {
	s := &paper.Sheet{Width: 340, Height: 62}
	value, small := d.narrow.strong(11), d.narrow.at(8)
	who := upper(d.subject.Listed())
	switch d.variant(4) {
	case 0:
		s.Text(74, 17, value, marked("name", who))
		s.Text(74, 29, small, "DOB: "+d.born()+"   "+d.age()+" "+d.wording("Y", "yrs")+"   "+d.sex())
		s.Text(74, 40, small, "MRN: "+marked("mrn", d.mrn)+"   ACCT: "+marked("account", d.crowd.Account()))
		s.Text(74, 51, small, "ADM: "+d.day(d.today)+"   "+d.colleague())
		d.square(s, 16, 8, 46, d.mrn)
	case 1:
		s.Text(14, 18, value, marked("name", who))
		s.Text(14, 31, small, marked("mrn", d.mrn)+"  "+d.born()+"  "+d.sex()+"  "+d.age()+"y")
		s.Text(14, 43, small, d.hospital()+"  "+marked("code", d.crowd.Code()))
		s.Text(14, 54, small, d.wording("Allergy: penicillin", "ALLERGIES: LATEX, SULFA"))
		d.bars(s, 218, 10, 112, 36, strings.ToUpper(plainCode(d.mrn)))
	case 2:
		s.Text(14, 16, small, "Name")
		s.Text(50, 16, value, marked("name", d.subject.Full()))
		s.Text(14, 30, small, "Born")
		s.Text(50, 30, value, d.born())
		s.Text(14, 44, small, "MRN")
		s.Text(50, 44, value, marked("mrn", d.mrn))
		d.bars(s, 198, 8, 128, 30, strings.ToUpper(plainCode(d.mrn)))
		s.Text(14, 55, small, "Blood group A Rh positive")
	default:
		s.Text(14, 18, value, marked("name", who))
		s.Text(14, 32, value, "#"+marked("mrn", d.mrn))
		s.Text(14, 45, small, "Birth date "+d.born()+"  Ward 4B  "+d.staff(d.doctor))
		s.Text(14, 56, small, d.wording("FALL RISK", "FALL RISK")+"  DNR: no")
		d.square(s, 284, 8, 46, d.mrn+"/"+d.subject.Family)
	}
	band := d.drawOn(s, 300, color.RGBA{0xfb, 0xfa, 0xf4, 0xff})
	if d.maybe(50) {
		return d.asJPEG(d.photographed(band, 1700, d.amount(0, 0.03)), int(d.amount(50, 85)))
	}
	out := crooked(d.onGlass(band), d.sign()*d.amount(0, 3))
	paper.Shade(out.Image, func(_, _ float64) float64 { return 1 }, d.amount(3, 12), d.rng)
	return d.asPNG(out, false)
}

// plainCode keeps what a bar code of the old kind can say.
func plainCode(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r == '-' {
			return r
		}
		return -1
	}, strings.ToUpper(s))
}

// label is for a tube or a bottle, in print of six to eight points.
func smallLabel(d *desk) made {
	if d.maybe(50) {
		return d.bottle()
	}
	s := &paper.Sheet{Width: 162, Height: 74}
	st := d.narrow.at(6 + d.amount(0, 1.4))
	strong := d.narrow.strong(st.Size + 1)
	lead := st.Size * 1.3
	y := s.Block(8, 13, lead, strong, marked("name", upper(d.subject.Listed())))
	rows := []string{"DOB " + d.born() + "  " + d.sex() + "  " + d.age() + "Y", "MRN " + marked("mrn", d.mrn), d.wording("Acc ", "Spec ") + marked("code", d.crowd.Code()) + "  " + d.before(2) + " " + d.clock(),
		d.wording("SERUM / GOLD", "EDTA LAVENDER", "LT BLUE CITRATE", "URINE") + "  " + d.wording("CBC, BMP", "TSH, LIPID") + "  coll. " + marked("staff", d.crowd.Person("en", d.today).Letters())}
	if d.half == Publish {
		rows[0], rows[1] = rows[1], rows[0]
	}
	y = s.Block(8, y, lead, st, rows...)
	d.bars(s, 8, y-4, 112, 18, plainCode(d.mrn))
	return d.asPNG(d.scanned(d.onGlass(d.draw(s, 300))), false)
}

// bottle is a pharmacy's label.
func (d *desk) bottle() made {
	s := &paper.Sheet{Width: 230, Height: 118}
	st, strong := d.narrow.at(6.4+d.amount(0, 1.6)), d.narrow.strong(9)
	lead := st.Size * 1.32
	street, town := d.lines(d.crowd.Address("us"))
	y := s.Block(10, 15, lead, d.narrow.strong(st.Size+0.6), d.hospital()+d.wording(" Pharmacy", " RX"))
	y = s.Block(10, y, lead, st, street+", "+town+"  "+d.phone())
	s.Fill(10, y-6, 210, 0.6, color.Black)
	y = s.Block(10, y+4, lead*1.25, strong, marked("name", upper(d.subject.Full())))
	y = s.Block(10, y, lead, st, d.wording("Rx # ", "RX: ", "Rx No. ", "Prescription ")+marked("code", d.crowd.Code())+"   "+d.wording("Filled ", "Date ")+d.day(d.today), d.address(d.home))
	drug := one(d, d.book.List("drug"))
	y = s.Paragraph(10, y+3, 210, lead*1.25, strong, upper(drug))
	s.Block(10, y, lead, st, d.wording("TAKE WITH FOOD. DO NOT CRUSH.", "May cause drowsiness. Avoid alcohol."), "QTY 30  REFILLS 2 "+d.wording("before ", "until ")+d.after(360)+"  "+d.wording("Dr. ", "Prescriber: ")+marked("staff", d.doctor.Short()))
	label := d.drawOn(s, 330, color.RGBA{0xfd, 0xfc, 0xf6, 0xff})
	if d.maybe(50) {
		return d.asJPEG(d.photographed(label, 1400, d.amount(0, 0.05)), int(d.amount(55, 88)))
	}
	return d.asPNG(d.scanned(d.onGlass(label)), true)
}

// appointmentCard is a small card, filled in by hand or by print.
func appointmentCard(d *desk) made {
	s := &paper.Sheet{Width: 252, Height: 144}
	set := d.print.at(10)
	if d.maybe(60) {
		set = d.handStyle()
		set.Size = 12.5
	}
	small := d.print.at(7.6)
	s.Centre(126, 22, d.print.strong(12), d.hospital())
	s.Centre(126, 33, small, d.address(d.crowd.Address("us")))
	s.Centre(126, 43, small, d.phone())
	style := []fieldStyle{underlined, captioned}[d.half]
	y := d.form(s, style, 14, 50, 224, 1, set, []field{{d.wording("Name", "For", "M", "Patient"), d.name()},
		{d.wording("has an appointment on", "When", "Date and time", "Your next visit"), d.after(90) + " " + d.wording("at ", "") + eitherWay("date", d.wording("9:40 am", "10:15", "2:30 PM", "8:00"))}})
	if y < 124 {
		s.Text(14, 132, small, d.wording("with ", "to see ", "Provider: ", "Doctor: ")+d.staff(d.doctor)+"  "+d.wording("Please give 24 hours notice.", "Bring your insurance card."))
	}
	card := d.drawOn(s, 300, color.RGBA{0xfb, 0xf8, 0xee, 0xff})
	if d.maybe(60) {
		return d.asJPEG(d.photographed(card, 1300, d.amount(0, 0.06)), int(d.amount(50, 85)))
	}
	return d.asPNG(d.scanned(d.onGlass(card)), true)
}
