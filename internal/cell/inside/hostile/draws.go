package hostile

import (
	"fmt"
	"strings"
)

// appearance is a form of a PDF with these resources.
func appearance(resources, content string) string {
	return stream("/Type/XObject/Subtype/Form/BBox[0 0 200 200]/Resources<<"+resources+">>", []byte(content))
}

// sheet is a PDF of one page with these entries, whose content is object 4; more objects
// are numbered from 5.
func sheet(page, content string, more ...string) []byte {
	return pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		append([]string{"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R" + page + ">>", stream("", []byte(content))}, more...)...)
}

// ladder are n objects numbered from first: each is made of the number of the next, the
// last of its own.
func ladder(first, n int, step func(next int) string) []string {
	var out []string
	for i := range n {
		out = append(out, step(first+min(i+1, n-1)))
	}
	return out
}

// drawings are small files that have much drawn: what is written once is drawn again and
// again.
func drawings() []made {
	twice := func(next int) string { return appearance(fmt.Sprintf("/XObject<</I %d 0 R>>", next), "/I Do /I Do") }
	lines := strings.Repeat("0 0 m 200 200 l S ", 1000)
	form := "/Resources<</XObject<</I 5 0 R>>>>"
	tile := func(step float64, next int, content string) string {
		return stream(fmt.Sprintf("/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 100 100]/XStep %g/YStep %g/Resources<</Pattern<</P %d 0 R>>>>", step, step, next), []byte(content))
	}
	const fill = "/Pattern cs /P scn 0 0 200 200 re f "
	pattern := "/Resources<</Pattern<</P 5 0 R>>>>"
	glyphs := func(next int, body string) []string {
		return []string{
			fmt.Sprintf("<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[1 0 0 1 0 0]/FirstChar 97/LastChar 97/Widths[1]/Encoding<</Type/Encoding/Differences[97/a]>>/CharProcs<</a 6 0 R>>/Resources<</Font<</F %d 0 R>>/XObject<</I 7 0 R>>>>>>", next),
			stream("", []byte("1 0 d0 "+body)), appearance("", lines),
		}
	}
	const show = "BT /F 9 Tf 10 10 Td (aa) Tj ET "
	font := "/Resources<</Font<</F 5 0 R>>>>"
	note := func(n int) string {
		return "/Annots[" + strings.Repeat("<</Type/Annot/Subtype/Stamp/F 4/Rect[0 0 200 200]/AP<</N 5 0 R>>>>", n) + "]"
	}
	group := func(next int) string {
		return stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 200 200]/Group<</S/Transparency/CS/DeviceGray>>/Resources<</ExtGState<</G<</SMask<</S/Luminosity/G %d 0 R>>>>>>>>", next), []byte("/G gs 0 0 200 200 re f 9 9 99 99 re f"))
	}
	return []made{
		{"PDF form that draws itself", func() []byte { return sheet(form, "/I Do", ladder(5, 1, twice)...) }},
		{"PDF forms of two, 40 levels deep", func() []byte {
			return sheet(form, "/I Do", append(ladder(5, 40, twice), pixels(1, 1, "", []byte("x")))...)
		}},
		{"PDF forms of two that use the page's resources, 30 levels deep", func() []byte {
			var names strings.Builder
			var more []string
			for i := range 30 {
				fmt.Fprintf(&names, "/I%d %d 0 R", i, 5+i)
				more = append(more, stream("/Type/XObject/Subtype/Form/BBox[0 0 200 200]", fmt.Appendf(nil, "/I%d Do /I%d Do", i+1, i+1)))
			}
			return sheet("/Resources<</XObject<<"+names.String()+">>>>", "/I0 Do", more...)
		}},
		{"PDF page drawn 100,000 times from a form", func() []byte {
			return sheet(form, strings.Repeat("/I Do ", 100), appearance("/XObject<</J 6 0 R>>", strings.Repeat("/J Do ", 1000)), appearance("", lines))
		}},
		{"PDF form of a million saved states, drawn 1,000 times", func() []byte {
			return sheet(form, strings.Repeat("/I Do ", 1000), appearance("", strings.Repeat("q ", 1_000_000)))
		}},
		{"PDF path of 16 million points", func() []byte { return packed("0 0 m ", "9 9 l ", 96*mib, " S") }},
		{"PDF text of 64 million characters", func() []byte { return packed("BT /F 9 Tf ", "(aaaaaaaa) Tj ", 112*mib, " ET") }},
		{"PDF text in strings of half a mebibyte", func() []byte { return packed("BT /F 9 Tf ", "("+strings.Repeat("a", 500_000)+") Tj ", 128*mib, "ET") }},
		{"PDF pattern that fills with itself", func() []byte { return sheet(pattern, fill, tile(50, 5, fill+fill)) }},
		{"PDF patterns of two, 40 levels deep", func() []byte {
			return sheet(pattern, fill, ladder(5, 40, func(next int) string { return tile(150, next, fill+fill) })...)
		}},
		{"PDF pattern of a million tiles a point", func() []byte { return sheet(pattern, fill, tile(0.001, 5, "0 0 1 1 re f")) }},
		{"PDF pattern whose tiles lie on each other", func() []byte {
			return sheet(pattern, fill, strings.Replace(tile(0.1, 5, lines), "[0 0 100 100]", "[0 0 999 999]", 1))
		}},
		{"PDF pattern without a step", func() []byte { return sheet(pattern, fill, tile(0, 5, lines)) }},
		{"PDF pattern of 1,000 lines, filled with 10,000 times", func() []byte { return sheet(pattern, strings.Repeat(fill, 10_000), tile(150, 5, lines)) }},
		{"PDF glyph that shows itself", func() []byte { return sheet(font, show, glyphs(5, show+show)...) }},
		{"PDF glyph of 1,000 lines, shown 100,000 times", func() []byte {
			return sheet(font, strings.Replace(show, "aa", strings.Repeat("a", 100_000), 1), glyphs(5, lines)...)
		}},
		{"PDF glyph of a form, shown 100,000 times", func() []byte {
			return sheet(font, strings.Replace(show, "aa", strings.Repeat("a", 100_000), 1), glyphs(5, "/I Do")...)
		}},
		{"PDF comment that draws itself", func() []byte { return sheet(note(1), "", ladder(5, 1, twice)...) }},
		{"PDF comment of two forms, 40 levels deep", func() []byte { return sheet(note(1), "", ladder(5, 40, twice)...) }},
		{"PDF of 5,000 comments of 1,000 lines", func() []byte { return sheet(note(5000), "", appearance("", lines)) }},
		{"PDF form field that draws itself", func() []byte {
			return pdf("<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]>>>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
				"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Annots[4 0 R]>>",
				"<</Type/Annot/Subtype/Widget/FT/Btn/T(a)/F 4/AS/On/Rect[0 0 200 200]/AP<</N<</On 5 0 R>>>>>>", twice(5))
		}},
		{"PDF soft mask that is drawn through itself", func() []byte { return sheet(form, "/I Do", ladder(5, 1, group)...) }},
		{"PDF soft masks of two, 40 levels deep", func() []byte { return sheet(form, "/I Do", ladder(5, 40, group)...) }},
		{"PDF image drawn 2,000 times through a larger mask", func() []byte {
			return sheet(form, strings.Repeat(draw+" ", 2000), pixels(1, 1, "/SMask 6 0 R", []byte("x")), pixels(2000, 2000, "/Filter/FlateDecode", squeeze(4_000_000)))
		}},
		{"PDF image drawn 2,000 times by a form", func() []byte {
			return sheet(form, strings.Repeat("/I Do ", 100), appearance("/XObject<</I 6 0 R>>", strings.Repeat(draw+" ", 20)), pixels(2000, 2000, "/Filter/FlateDecode", squeeze(4_000_000)))
		}},
		{"PDF image of a pixel and 16 MiB, drawn 10,000 times", func() []byte {
			return sheet(form, strings.Repeat(draw+" ", 10_000), pixels(1, 1, "", make([]byte, 16*mib)))
		}},
		{"PDF inline image of 1 MiB, drawn 2,000 times", func() []byte {
			return sheet(form, strings.Repeat("/I Do ", 2000), appearance("", "BI /W 1024 /H 1024 /BPC 8 /CS /G ID "+strings.Repeat("x", mib)+" EI"))
		}},
		{"PDF of 200 pages that draw an image 500 times", func() []byte {
			page := "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 3 0 R/Resources<</XObject<</I 4 0 R>>>>>>"
			kids, more := "", []string{stream("", []byte(strings.Repeat(draw+" ", 490))), pixels(2000, 2000, "/Filter/FlateDecode", squeeze(4_000_000))}
			for i := range 200 {
				kids += fmt.Sprintf("%d 0 R ", 5+i)
				more = append(more, page)
			}
			return pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids["+kids+"]/Count 200>>", more...)
		}},
		{"PDF page covered 100,000 times", func() []byte { return sheet("", strings.Repeat("0 0 200 200 re f ", 100_000)) }},
		{"PDF page covered 20,000 times by a colour that lets through", func() []byte {
			return sheet("/Resources<</ExtGState<</G<</ca .5/BM/Luminosity>>>>>>", "/G gs "+strings.Repeat("0 0 200 200 re f ", 20_000))
		}},
		{"PDF page shaded 10,000 times", func() []byte {
			return sheet("/Resources<</Shading<</S<</ShadingType 2/ColorSpace/DeviceRGB/Coords[0 0 200 200]/Extend[true true]/Function<</FunctionType 2/Domain[0 1]/C0[0 0 0]/C1[1 1 1]/N 1>>>>>>>>", strings.Repeat("/S sh ", 10_000))
		}},
		{"PDF page of 10,000 groups", func() []byte {
			return sheet("/Resources<</XObject<</I 5 0 R>>/ExtGState<</G<</ca .5>>>>>>", "/G gs "+strings.Repeat("/I Do ", 10_000),
				stream("/Type/XObject/Subtype/Form/BBox[0 0 200 200]/Group<</S/Transparency/I true/K true>>", []byte("0 0 200 200 re f 9 9 99 99 re f")))
		}},
		{"PDF bomb that a table finds within a stream", func() []byte { return hidden(twice(5)) }},
	}
}

// hidden is a PDF whose form is harmless where objects follow each other; its table
// points at another that lies within a stream.
func hidden(form string) []byte {
	b := sheet("/Resources<</XObject<</I 5 0 R>>>>", "/I Do", appearance("", "0 0 m 9 9 l S"), stream("", []byte("\n5 0 obj\n"+form+"\nendobj\n")))
	s := string(b)
	plain, inner := strings.Index(s, "\n5 0 obj")+1, strings.LastIndex(s, "\n5 0 obj")+1
	return []byte(strings.Replace(s, fmt.Sprintf("%010d 00000 n", plain), fmt.Sprintf("%010d 00000 n", inner), 1))
}

// packed is a PDF whose page has a part of its content again and again, so many bytes.
func packed(start, part string, bytes int, end string) []byte {
	return pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents[4 0 R 5 0 R 6 0 R]/Resources<</Font<</F 7 0 R>>>>>>",
		stream("", []byte(start)), stream("/Filter/FlateDecode", repeated(part, bytes)), stream("", []byte(end)), "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
}
