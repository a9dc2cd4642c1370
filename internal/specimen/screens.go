package specimen

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"

	"blotter/internal/examples/paper"
)

// darkScreen is the picture of a scanner with its overlay: light print on dark.
func darkScreen(d *desk) made {
	const w, h = 1024.0, 768.0
	s := &paper.Sheet{Width: w, Height: h}
	s.Picture(0, 0, w, h, d.echo())
	light := d.typist.at(13 + d.amount(0, 4))
	if d.half == Tune && d.maybe(50) {
		light.Face = d.typeface("share-tech-mono")
	}
	if d.half == Publish && d.maybe(50) {
		light.Face = d.typeface("jetbrains-mono")
	}
	light.Ink = one(d, []color.Color{color.Gray{0xf0}, color.RGBA{0xff, 0xe0, 0x60, 0xff}, color.RGBA{0x80, 0xe8, 0xff, 0xff}, color.RGBA{0x9a, 0xf0, 0xa0, 0xff}})
	lead := light.Size * 1.3
	name := marked("name", one(d, []string{upper(d.subject.Listed()), d.subject.Listed(), upper(d.subject.Family + "^" + d.subject.Given), upper(d.subject.Family + ", " + d.subject.Given)}))
	top := []string{name, d.wording("ID: ", "MRN ", "Pat ID ", "#") + marked("mrn", d.mrn), d.wording("DOB ", "Born ", "BD: ", "") + d.born() + "  " + d.sex() + " " + d.age() + d.wording("Y", "y")}
	right := []string{d.hospital(), d.day(d.today), eitherWay("date", d.today.Format("15:04:05")), d.wording("ACC ", "Acc# ") + marked("code", d.crowd.Code())}
	foot := []string{d.wording("Op: ", "Sonographer: ", "Tech ", "By ") + marked("staff", one(d, []string{d.crowd.Person("en", d.today).Letters(), d.crowd.Person("en", d.today).Full()})),
		d.wording("S/N ", "SN: ") + marked("device", d.crowd.Serial())}
	settings := d.settings()
	if d.variant(2) == 0 {
		s.Block(18, 26, lead, light, top...)
		for i, l := range right {
			s.Right(w-18, 26+lead*float64(i), light, l)
		}
		s.Block(18, h-22-lead, lead, light, foot...)
		s.Block(w-190, h/2, lead, light, settings...)
	} else {
		s.Block(18, h-20-3*lead, lead, light, top...)
		s.Block(18, 26, lead, light, right...)
		for i, l := range foot {
			s.Right(w-18, h-20-lead*float64(1-i), light, l)
		}
		s.Block(18, h/2-60, lead, light, settings...)
	}
	page := d.drawOn(s, 72, color.Gray{uint8(d.rng.IntN(14))})
	paper.Shade(page.Image, func(_, _ float64) float64 { return 1 }, d.amount(0, 6), d.rng)
	if d.maybe(40) {
		return d.asJPEG(page, int(d.amount(45, 85)))
	}
	return d.asPNG(page, true)
}

// settings of an apparatus are no secret.
func (d *desk) settings() []string {
	if d.maybe(50) {
		return []string{"Gn " + strconv.Itoa(40+d.rng.IntN(50)), "DR 60", "MI 1.1", "TIs 0.4", "C5-1", "12.5 cm", "FR 34Hz", d.wording("RT KIDNEY SAG", "GALLBLADDER", "CARDIAC 4CH", "LT OVARY LONG")}
	}
	return []string{"kVp 120", "mAs " + strconv.Itoa(60+d.rng.IntN(200)), "W 400 L 40", "ST 2.5 mm", "FOV 36 cm", d.wording("CHEST PA", "L SPINE LAT", "ABDOMEN AP", "R KNEE")}
}

// echo is a fan of speckle on black, as sound makes it, or a soft shadow as rays do.
func (d *desk) echo() image.Image {
	const w, h = 512, 384
	img := image.NewGray(image.Rect(0, 0, w, h))
	fan, grain := d.maybe(60), d.amount(20, 80)
	a, b, c := d.rng.Float64()*6, 0.02+d.rng.Float64()*0.05, d.rng.Float64()*6
	for y := range h {
		for x := range w {
			u, v := float64(x)-w/2, float64(y)+30
			r, angle := math.Hypot(u, v), math.Atan2(u, v)
			level := 0.0
			switch {
			case fan && math.Abs(angle) < 0.62 && r > 60 && r < 350:
				level = 60 + 45*math.Sin(r*b+a+2*math.Sin(angle*4+c)) + grain*(d.rng.Float64()-0.5)
			case !fan && math.Abs(u) < 130+20*math.Sin(v*0.02+a) && v > 60 && v < 380:
				level = 90 + 60*math.Cos(u*0.02)*math.Sin(v*0.012+c) + 8*(d.rng.Float64()-0.5)
			}
			img.Pix[y*w+x] = uint8(min(max(level, 0), 190))
		}
	}
	return img
}

// recordScreen is a shot of a program that keeps records.
func recordScreen(d *desk) made {
	const w, h = 1280.0, 800.0
	s := &paper.Sheet{Width: w, Height: h}
	bar := color.RGBA{uint8(20 + d.rng.IntN(60)), uint8(60 + d.rng.IntN(60)), uint8(90 + d.rng.IntN(90)), 0xff}
	small, body, strong := d.print.at(12.5), d.print.at(13.5), d.print.strong(13.5)
	s.Fill(0, 0, w, 34, bar)
	s.Fill(0, 34, w, 62, softBlue)
	head := d.print.strong(14)
	head.Ink = color.White
	s.Text(14, 23, head, d.wording("ClinicDesk", "ChartView", "MediPoint EHR", "Health Record"))
	user := d.print.at(12.5)
	user.Ink = color.White
	s.Right(w-16, 22, user, d.wording("Signed in: ", "User: ", "Logged in as ", "")+marked("staff", d.crowd.Person("en", d.today).Full())+"  |  "+marked("ip", d.crowd.IP()))
	s.Text(14, 58, d.print.strong(18), marked("name", d.subject.Listed()))
	s.Text(14, 84, body, d.wording("DOB: ", "Birth date ")+d.born()+" ("+d.age()+" y)   "+d.sex()+"   "+d.label("mrn")+": "+marked("mrn", d.mrn)+"   "+d.label("phone")+": "+d.phone()+"   PCP: "+d.staff(d.doctor))
	menu := []string{"Summary", "Problems", "Medications", "Allergies", "Results", "Orders", "Notes", "Immunizations", "Messages", "Documents"}
	s.Fill(0, 96, 150, h-96, shadeGray)
	s.Block(16, 124, 30, small, menu...)
	d.panel(s, 166, 110, 540, 240, d.wording("Problem List", "Active problems"), d.problems(body))
	d.panel(s, 722, 110, 542, 240, d.wording("Medications", "Current medications"), some(d, d.book.List("drug"), 7))
	rows := []string{}
	for range 6 {
		rows = append(rows, d.before(300)+"   "+d.wording("Office visit", "Telephone", "Lab", "Imaging")+"   "+marked("staff", d.crowd.Person("en", d.today).Short())+"   "+one(d, d.book.List("specialty")))
	}
	d.panel(s, 166, 366, 540, 220, d.wording("Encounters", "Recent visits"), rows)
	d.panel(s, 722, 366, 542, 220, d.wording("Demographics", "Contact details"), []string{d.label("address") + ": " + d.address(d.home), d.label("email") + ": " + marked("email", d.crowd.Email(d.subject)),
		d.label("emergency") + ": " + d.blank("relative") + " " + d.phone(), d.label("insurance") + ": " + d.hospital() + " " + marked("health_plan", d.crowd.MemberID()), d.label("ssn") + ": " + marked("ssn", d.crowd.SSN())})
	s.Text(176, 616, strong, d.wording("Last note", "Progress note")+" - "+d.before(20))
	s.Paragraph(176, 638, 1070, 19, body, d.story("history", 3)+" "+d.story("exam", 3)+" "+d.story("plan", 1))
	s.Fill(0, h-24, w, 24, shadeGray)
	s.Text(14, h-8, d.print.at(11.5), d.wording("Ready", "Connected")+"   "+marked("date", d.today.Format("1/2/2006"))+" "+eitherWay("date", d.today.Format("3:04 PM"))+"   "+d.wording("Encounter ", "CSN ")+marked("code", d.crowd.Code()))
	return d.asPNG(d.draw(s, 72), true)
}

func (d *desk) panel(s *paper.Sheet, x, y, w, h float64, title string, lines []string) {
	s.Frame(x, y, w, h)
	s.Fill(x, y, w, 26, softBlue)
	s.Text(x+10, y+18, d.print.strong(13.5), title)
	at := y + 48
	for _, l := range lines {
		if at = s.Paragraph(x+10, at, w-20, 19, d.print.at(13), l) + 7; at > y+h-12 {
			return
		}
	}
}

func (d *desk) problems(_ paper.Style) []string {
	var out []string
	for _, p := range some(d, d.book.List("diagnosis"), 4) {
		name, code, _ := strings.Cut(p, ";")
		out = append(out, fmt.Sprintf("%s (%s)", name, code))
	}
	return append(out, some(d, d.book.List("eponym"), 3)...)
}
