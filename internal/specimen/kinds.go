package specimen

import "blotter/internal/examples/paper"

// kinds is every kind of document, roughly by how they come to a clinic: forms, letters
// and reports; small things; faxes, photos and screens; damaged paper; other languages.
var kinds = []kind{
	{"intake-form", func(d *desk) made { return d.onPaper(d.intake(d.print.at(10))) }},
	{"handwritten-form", func(d *desk) made { return d.onPaper(d.intake(d.handStyle())) }},
	{"handwritten-note", handwrittenNote},
	{"consent-form", consent},
	{"claim-form", claim},
	{"referral-letter", func(d *desk) made { return d.onPaper(d.letter()) }},
	{"window-letter", windowLetter},
	{"discharge-summary", dischargeSummary},
	{"two-column-report", func(d *desk) made { return d.onPaper(d.report()) }},
	{"lab-table", func(d *desk) made { return d.onPaper(d.lab()) }},
	{"ambulance-report", ambulance},
	{"memo", memo},
	{"invoice", func(d *desk) made { return d.onPaper(d.invoice()) }},
	{"prescription", func(d *desk) made { return d.onPaper(d.prescription()) }},
	{"insurance-card", insuranceCard},
	{"identity-card", identityCard},
	{"device-card", deviceCard},
	{"wristband", wristband},
	{"label", smallLabel},
	{"appointment-card", appointmentCard},
	{"poster", poster},
	{"fax", fax},
	{"many-frames", manyFrames},
	{"phone-photo", phonePhoto},
	{"dark-screen", darkScreen},
	{"record-screen", recordScreen},
	{"turned-page", turnedPage},
	{"skewed-page", skewedPage},
	{"stamped-page", stampedPage},
	{"pale-copy", paleCopy},
	{"margin-text", marginText},
	{"born-digital", bornDigital},
	{"layered-scan", layeredScan},
	{"lying-layer", lyingLayer},
	{"foreign-form", foreignForm},
	{"foreign-letter", foreignLetter},
	{"foreign-script", foreignScript},
}

func dischargeSummary(d *desk) made {
	sheets := d.discharge()
	var pages []drawing
	for _, s := range sheets {
		pages = append(pages, d.scanned(d.draw(s, 200)))
	}
	return d.asScans(sheets[0], 0, nil, pages...)
}

// anyPage is one of the common pages, for kinds that are about what happened to it.
func (d *desk) anyPage() *paper.Sheet {
	switch d.rng.IntN(5) {
	case 0:
		return d.letter()
	case 1:
		return d.report()
	case 2:
		return d.lab()
	case 3:
		return d.intake(d.print.at(10))
	}
	return d.discharge()[0]
}
