package specimen

import (
	"fmt"
	"image/color"
	"strconv"

	"blotter/internal/examples/paper"
)

// faxed is a page of the width of a fax machine with its header line.
func (d *desk) faxed(s *paper.Sheet, page, of int) drawing {
	const dots = 204.0
	s.Fill(0, 0, s.Width, 21, color.White) // the machine prints over what was there
	s.Text(16, 16, d.typist.at(8), d.faxHeader(page, of))
	from := d.draw(s, dots)
	w, h := from.Image.Rect.Dx(), int(float64(from.Image.Rect.Dy())*196/204)
	m := paper.Skew(d.sign()*d.amount(0, 2), 1, 196.0/204, w, h)
	out := carried(from, blank(w, h, color.White), m)
	paper.Shade(out.Image, func(_, _ float64) float64 { return 1 }, d.amount(8, 40), d.rng)
	return out
}

func (d *desk) faxHeader(page, of int) string {
	station := eitherWay("organisation", upper(d.crowd.Organisation("en")))
	number := marked("fax", d.crowd.Phone("us"))
	at := d.clock()
	switch d.variant(4) {
	case 0:
		return marked("date", upper(d.today.Format("Jan-02-2006"))) + " " + at + "  FROM: " + station + "  " + number + fmt.Sprintf("  P.%02d/%02d", page, of)
	case 1:
		return marked("date", d.today.Format("01/02/06")) + " " + at + " FAX " + number + " -> " + marked("fax", d.crowd.Phone("us")) + fmt.Sprintf("   %03d/%03d", page, of)
	case 2:
		return station + "  Fax:" + number + "   " + marked("date", d.today.Format("Jan 2 2006")) + " " + at + fmt.Sprintf("  Page %d", page)
	}
	return "Received: " + marked("date", d.today.Format("2006-01-02")) + " " + at + "   " + number + "   " + fmt.Sprintf("%d of %d", page, of)
}

// fax is a cover and a page behind it.
func fax(d *desk) made {
	cover := d.faxCover()
	second := d.anyPage()
	pages := []drawing{d.faxed(cover, 1, 2), d.faxed(second, 2, 2)}
	return d.asFax(uint8(d.amount(110, 190)), int(d.amount(50, 900)), pages...)
}

func (d *desk) faxCover() *paper.Sheet {
	s := d.page()
	x, width := 60.0, s.Width-120
	to, body := d.crowd.Person("en", d.today), d.print.at(11.5)
	y := d.letterhead(s, x)
	s.Text(x, y+20, d.print.strong(26), d.wording("FAX", "Facsimile", "FAX COVER SHEET", "Fax Transmittal"))
	y = d.form(s, d.fieldStyle(), x, y+34, width, 2, body, []field{{d.wording("To", "Attention", "TO", "Attn"), d.staff(to)}, {d.wording("From", "Sender", "FROM", "Sent by"), marked("staff", d.doctor.Full())},
		{d.label("fax"), d.fax()}, {d.label("phone"), d.phone()}, {"Date", d.day(d.today)}, {"Pages", "2"}, {d.wording("Re", "Subject", "RE", "Regarding"), d.name() + ", DOB " + d.born()}}) + 26
	y = s.Paragraph(x, y, width, 16, body, d.story("history", 5)+" "+d.story("plan", 5))
	if d.maybe(50) {
		st := d.handStyle()
		s.Text(x, y+24, st, d.wording("Please call ", "pls call ", "Call back: ", "ask for ")+marked("name", d.subject.Given)+" "+d.phone())
	}
	s.Paragraph(x, s.Height-70, width, 11, d.print.slanted(8.5), d.wording(
		"CONFIDENTIALITY NOTICE: This facsimile is intended only for the addressee. If you received it in error, notify the sender at once and destroy all copies.",
		"The documents with this cover contain confidential health information that is protected by law. If you are not the intended recipient, any use is prohibited."))
	return s
}

// consent is a form with its codes in the corners and signatures at its foot.
func consent(d *desk) made {
	s := d.page()
	x := 56.0
	width := s.Width - 2*x
	d.square(s, s.Width-x-58, 36, 58, "https://example.org/c/"+d.mrn+"?n="+slugOf(d.subject.Family))
	s.Text(x, 60, d.print.strong(14), d.wording("CONSENT TO PROCEDURE", "Consent for Treatment", "Authorization for Release of Information", "Informed Consent for Surgery"))
	s.Text(x, 76, d.print.at(9), d.hospital())
	set := d.print.at(10)
	if d.maybe(50) {
		set = d.handStyle()
	}
	y := d.form(s, d.fieldStyle(), x, 104, width, 2, set, d.shuffled([]field{{d.label("name"), d.name()}, {d.label("born"), d.born()}, {d.label("mrn"), marked("mrn", d.mrn)}, {d.label("phone"), d.phone()}})) + 20
	body := d.print.at(10)
	who, relation := d.crowd.Relative(d.subject)
	for _, p := range []string{
		d.wording("I authorize ", "I, the undersigned, permit ") + d.colleague() + " and associates to perform the following: " + one(d, []string{"laparoscopic cholecystectomy", "left knee arthroscopy", "a Whipple procedure", "placement of a Hickman catheter", "colonoscopy with biopsy", "a Nissen fundoplication"}) + ".",
		d.wording("The nature of the treatment, its risks and the alternatives were explained to me, and my questions were answered.", "I understand that no guarantee was given about the result and that I may withdraw this consent at any time before the procedure."),
		d.wording("I agree to anesthesia as the anesthesiologist finds necessary, including blood products if needed.", "I consent to the disposal of tissue that is removed and to photographs without my face for teaching."),
		"Information may be given to my " + relation + ", " + marked("name", who.Full()) + ", at " + d.phone() + ".",
	} {
		y = s.Paragraph(x, y, width, 14.5, body, p) + 6
	}
	d.checks(s, x, y+6, width/3, d.print.at(9.5), "Interpreter used", "Copy given", "Declined copy")
	d.signHere(s, x, y+66, width)
	witness := d.crowd.Person("en", d.today)
	d.scrawl(s, x+16, y+88, 110, 20)
	s.Fill(x, y+112, width*0.55, 0.6, color.Black)
	s.Text(x, y+122, d.print.at(7.5), d.wording("Witness", "Signature of witness"))
	s.Text(x+width*0.65, y+110, d.print.at(10), marked("staff", witness.Full()))
	s.Text(x+width*0.63, y+122, d.print.at(7.5), d.wording("Print name of witness", "Witness (printed)"))
	d.bars(s, x, s.Height-74, 170, 30, plainCode(d.mrn))
	s.Text(x+30, s.Height-34, d.typist.at(8), marked("code", plainCode(d.mrn)))
	s.Right(s.Width-x, s.Height-34, d.print.at(7.5), "Form "+strconv.Itoa(100+d.rng.IntN(900))+" Rev. "+eitherWay("date", strconv.Itoa(d.today.Year())))
	return d.onPaper(s)
}

func slugOf(s string) string {
	var out []rune
	for _, r := range s {
		if r < 0x80 && r != ' ' && r != '\'' {
			out = append(out, r)
		}
	}
	return string(out)
}
