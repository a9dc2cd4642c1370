package specimen

import (
	"image/color"

	"blotter/internal/examples/paper"
	"blotter/internal/truth"
)

// phonePhoto is a page as a patient sends it.
func phonePhoto(d *desk) made {
	page := d.draw(d.anyPage(), 190)
	out := d.photographed(page, 1500+d.rng.IntN(900), d.amount(0.01, 0.08))
	return d.asJPEG(out, int(d.amount(40, 82)))
}

// turnedPage went into the scanner sideways or upside down; where the file is a PDF, its
// /Rotate puts it right in half of the cases.
func turnedPage(d *desk) made {
	s := d.anyPage()
	turns := 1 + d.rng.IntN(3)
	page := d.scanned(d.draw(s, 200))
	if !d.maybe(35) {
		return d.asPNG(quarter(page, turns), false)
	}
	upright := pictureOf(page)
	upright.Page = 1
	stored := quarter(drawing{Image: page.Image}, 4-turns)
	size := *s
	if turns%2 == 1 {
		size.Width, size.Height = s.Height, s.Width
	}
	out := d.asScans(&size, 90*turns, nil, stored)
	out.pictures = []truth.Picture{upright}
	return out
}

// skewedPage lies one to five degrees crooked.
func skewedPage(d *desk) made {
	page := crooked(d.draw(d.anyPage(), 200), d.sign()*d.amount(1, 5))
	paper.Blur(page.Image, d.rng.IntN(2))
	paper.Shade(page.Image, func(u, v float64) float64 { return 0.98 - 0.04*u }, d.amount(2, 10), d.rng)
	if d.maybe(30) {
		return d.asFax(uint8(d.amount(130, 180)), int(d.amount(0, 200)), page)
	}
	return d.asJPEG(page, int(d.amount(45, 85)))
}

// stampedPage has rubber stamps and pen strokes over its text.
func stampedPage(d *desk) made {
	s := d.anyPage()
	ink := []color.Color{color.RGBA{0xa8, 0x10, 0x18, 0xb0}, color.RGBA{0x18, 0x28, 0x98, 0xb0}, color.RGBA{0x48, 0x18, 0x70, 0xb0}}[d.rng.IntN(3)]
	for range 2 {
		d.stamp(s, 110+d.rng.Float64()*(s.Width-330), 150+d.rng.Float64()*(s.Height-330), ink)
	}
	for range 3 {
		y := 130 + d.rng.Float64()*(s.Height-220)
		x := 60 + d.rng.Float64()*140
		s.Stroke(0.9, d.hand.Ink, point(x, y), point(x+150, y+d.rng.Float64()*6-3), point(x+150+d.rng.Float64()*200, y+2))
	}
	return d.onPaper(s)
}

// stamp is a frame with two lines, at an angle.
func (d *desk) stamp(s *paper.Sheet, x, y float64, ink color.Color) {
	angle := d.sign() * d.amount(2, 24)
	st := d.print.strong(15)
	st.Turn, st.Ink = angle, ink
	words := d.wording("RECEIVED ", "SCANNED ", "FAXED ", "FILED ")
	line := words + marked("date", upper(d.today.Format("Jan 02 2006")))
	s.Text(x, y, st, line)
	long := paper.Measure(st, line)
	m := turnedAt(angle, x, y)
	low := d.print.strong(10)
	low.Turn, low.Ink = angle, ink
	at := m.At(point(4, 15))
	s.Text(at.X, at.Y, low, d.wording("Reviewed by ", "Initials ", "Clerk: ", "Entered by ")+marked("staff", d.crowd.Person("en", d.today).Short()))
	s.Stroke(1.6, ink, m.At(point(-8, -19)), m.At(point(long+8, -19)), m.At(point(long+8, 22)), m.At(point(-8, 22)), m.At(point(-8, -19)))
}

// turnedAt maps distances along a turned baseline to the page.
func turnedAt(degrees, x, y float64) paper.Mapping {
	m := paper.Skew(degrees, 1, 1, 0, 0)
	m[2], m[5] = x, y
	return m
}

// paleCopy is a copy of a copy: gray on gray, spotted, with a dark edge.
func paleCopy(d *desk) made {
	page := crooked(d.draw(d.anyPage(), 180), d.sign()*d.amount(0, 1.4))
	paper.Blur(page.Image, 1)
	pale(page.Image, d.amount(95, 165), d.amount(205, 248))
	edge := d.amount(0.05, 0.3)
	paper.Shade(page.Image, func(u, v float64) float64 { return 1 - edge*u*u*u }, d.amount(3, 12), d.rng)
	paper.Dust(page.Image, int(d.amount(500, 5000)), d.rng)
	return d.asPNG(page, false)
}

// bornDigital is a PDF that was never on paper.
func bornDigital(d *desk) made {
	switch d.rng.IntN(4) {
	case 0:
		return d.asPrint(d.discharge()...)
	case 1:
		return d.asPrint(d.invoice())
	}
	return d.asPrint(d.anyPage())
}

// layeredScan is a scan over which a program laid the text that it read, rightly.
func layeredScan(d *desk) made {
	s := d.anyPage()
	page := d.draw(s, 200)
	paper.Shade(page.Image, func(_, _ float64) float64 { return 0.98 }, d.amount(1, 8), d.rng)
	return d.asScans(s, 0, s, page)
}

// lyingLayer is a scan whose hidden text says something else, or stands elsewhere.
func lyingLayer(d *desk) made {
	s := d.anyPage()
	page := d.scanned(d.draw(s, 200))
	lie := d.anyPage() // another page's text, of the same people
	if d.maybe(40) {
		shifted := *s
		shifted.Height += 40 + 60*d.amount(0, 1)
		lie = &shifted
	}
	return d.asScans(s, 0, lie, page)
}

// marginText has a letterhead or a reference that runs up the margin.
func marginText(d *desk) made {
	s := d.letter()
	st := d.print.at(9.5)
	text := d.hospital() + "  " + d.address(d.crowd.Address("us")) + "  " + d.phone()
	if d.maybe(50) {
		text = d.label("name") + ": " + marked("name", d.subject.Full()) + "  " + d.label("mrn") + ": " + marked("mrn", d.mrn) + "  " + d.born()
	}
	if d.variant(2) == 0 {
		st.Turn = -90
		s.Text(36, s.Height-120, st, text)
	} else {
		st.Turn = 90
		s.Text(s.Width-36, 130, st, text)
	}
	return d.onPaper(s)
}

// poster is a door sign, a folder's front or a name plate: very large print.
func poster(d *desk) made {
	s := d.page()
	size := 44 + d.amount(0, 30)
	for paper.Measure(d.print.strong(size), marked("name", d.subject.Full())) > s.Width-96 {
		size *= 0.9
	}
	s.Text(48, 130, d.print.strong(26), d.wording("ROOM ", "Bed ")+eitherWay("code", d.wording("412", "17")))
	s.Text(48, 260, d.print.strong(size), marked("name", d.subject.Full()))
	s.Text(48, 260+size*1.3, d.print.at(size*0.6), marked("date", d.today.Format("Jan 2, 2006")))
	s.Text(48, 260+size*2.6, d.print.strong(size*0.7), marked("mrn", d.mrn))
	y := s.Paragraph(48, 300+size*3.6, s.Width-96, 40, d.print.at(30), d.wording("Nothing by mouth after midnight. ", "Fall risk: use the walker. ")+d.wording("Allergy: penicillin.", "Soft diet, thickened liquids."))
	s.Text(48, y+20, d.print.at(24), d.colleague())
	if d.maybe(50) {
		return d.asJPEG(d.photographed(d.draw(s, 110), 1300, d.amount(0, 0.06)), int(d.amount(45, 85)))
	}
	return d.onPaper(s)
}

// manyFrames is a TIFF of several pages.
func manyFrames(d *desk) made {
	sheets := append(d.discharge(), d.lab())
	if d.maybe(40) {
		sheets = append(sheets, d.letter())
	}
	var pages []drawing
	for _, s := range sheets {
		pages = append(pages, d.scanned(d.draw(s, 200)))
	}
	return d.asFax(uint8(d.amount(120, 185)), int(d.amount(0, 150)), pages...)
}

// foreignScript has lines in Cyrillic, Arabic or Devanagari letters between English
// ones. Whoever cannot read them must cover them.
func foreignScript(d *desk) made {
	s := d.page()
	x := 64.0
	body := d.print.at(11)
	y := d.letterhead(s, x)
	y = d.form(s, inline, x, y, s.Width-2*x, 2, body, []field{{d.label("name"), d.name()}, {d.label("born"), d.born()}, {d.label("mrn"), marked("mrn", d.mrn)}}) + 16
	y = s.Paragraph(x, y, s.Width-2*x, 15, body, d.story("history", 6)) + 14
	st, lines := d.script()
	for _, l := range some(d, lines, 4) {
		s.Text(x, y, st, marked("unread", l))
		y += 26
	}
	y = s.Paragraph(x, y+6, s.Width-2*x, 15, body, d.story("plan", 5))
	s.Text(x, y+24, body, d.wording("Interpreter: ", "Translated by ")+marked("staff", d.crowd.Person("en", d.today).Full())+", "+d.phone())
	return d.onPaper(s)
}

// script is a typeface and lines in letters that the readers do not know. They name
// nobody; the ink counts. Arabic is laid right to left, in isolated forms.
func (d *desk) script() (paper.Style, []string) {
	switch d.rng.IntN(3) {
	case 0:
		return paper.Style{Face: d.typeface(map[Half]string{Tune: "noto-sans", Publish: "noto-serif"}[d.half]), Size: 12}, d.ownLines(
			"Пациент жалуется на боли в груди и одышку при ходьбе", "Имя пациента Анна Сергеевна Воронцова", "Принимает лекарства утром и вечером после еды", "Прошу перенести приём на следующую неделю",
			"Аллергия на пенициллин и йод", "Домашний адрес улица Лесная дом семнадцать", "Телефон дочери указан на обороте", "Направлен на обследование в областную больницу")
	case 1:
		face := map[Half]string{Tune: "noto-sans-arabic", Publish: "noto-naskh-arabic"}[d.half]
		var lines []string
		for _, l := range d.ownLines("يشكو المريض من ألم في الصدر", "اسم المريض أحمد محمود الحسن", "يتناول الدواء مرتين في اليوم", "العنوان شارع النخيل بناية سبعة", "لديه حساسية من البنسلين", "رقم هاتف الابنة مكتوب هنا", "نرجو تأجيل الموعد إلى الأسبوع القادم", "تم تحويله إلى المستشفى") {
			lines = append(lines, backwards(l))
		}
		return paper.Style{Face: d.typeface(face), Size: 15}, lines
	}
	return paper.Style{Face: d.typeface("noto-sans-devanagari"), Size: 13}, d.ownLines(
		"रोगी को सीने में दर्द है", "रोगी का नाम सुनीता शर्मा", "दवा सुबह और शाम लेनी है", "पता गली नंबर सात नया बाजार", "पेनिसिलिन से एलर्जी है", "बेटी का फोन नंबर नीचे है", "कृपया अगले सप्ताह आइए", "जिला अस्पताल भेजा गया")
}

func (d *desk) ownLines(all ...string) []string {
	var out []string
	for _, i := range d.own(len(all)) {
		out = append(out, all[i])
	}
	return out
}

func backwards(s string) string {
	var out []rune
	for _, r := range s {
		out = append([]rune{r}, out...)
	}
	return string(out)
}
