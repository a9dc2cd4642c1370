package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"blotter/internal/cell/inside/extract"
	"blotter/internal/document"
)

// What the manifest says of a document, as other programs reported it.
var (
	rasterFact = regexp.MustCompile(`^\w+ (\d+)x(\d+);`)
	framesFact = regexp.MustCompile(`; frames (\d+);`)
	dirsFact   = regexp.MustCompile(`; dirs (\d+);`)
	heifFact   = regexp.MustCompile(`ImageWidth (\d+), ImageHeight (\d+)`)
	pagesFact  = regexp.MustCompile(`^pages (\d+);`)
	blipsFact  = regexp.MustCompile(`^OLE2; pictures ([A-Z:0-9+-]+)`)
	mediaFact  = regexp.MustCompile(`; media \d+ ([a-z0-9?:+]+),`)
	pictFact   = regexp.MustCompile(`^\\pict x(\d+); image MIME parts (\d+)`)
)

// toldOtherwise lists the facts of the manifest that do not hold here. Sizes of rasters
// are those stored, before orientation.
func toldOtherwise(facts string, f document.Format, items []extract.Item) (out []string) {
	count, sizes := map[document.AssetKind]int{}, map[string]bool{}
	for _, it := range items {
		count[it.Kind]++
		sizes[fmt.Sprint(it.Width, it.Height)], sizes[fmt.Sprint(it.Height, it.Width)] = true, true
	}
	least := func(want int, what string, have int) {
		if have < want {
			out = append(out, fmt.Sprintf("the manifest counts %d %s, here are %d", want, what, have))
		}
	}
	switch {
	case f.IsRaster():
		for _, re := range []*regexp.Regexp{rasterFact, heifFact} {
			if m := re.FindStringSubmatch(facts); m != nil && !sizes[m[1]+" "+m[2]] {
				out = append(out, fmt.Sprintf("the manifest tells of %s×%s", m[1], m[2]))
			}
		}
		n := number(framesFact, facts) + number(dirsFact, facts)
		least(n, "frames", count[document.Frame])
		if n > 0 && n < count[document.Frame] && f != document.PNG { // others do not count an animation's frames
			out = append(out, fmt.Sprintf("the manifest counts %d frames, here are %d", n, count[document.Frame]))
		}
	case f == document.PDF:
		if m := pagesFact.FindStringSubmatch(facts); m != nil && m[1] != strconv.Itoa(count[document.Page]) {
			out = append(out, fmt.Sprintf("the manifest counts %s pages, here are %d", m[1], count[document.Page]))
		}
	case f.IsCompound():
		least(kinds(blipsFact, facts), "pictures", count[document.Image])
	case f.IsOffice():
		least(kinds(mediaFact, facts), "pictures", count[document.Image])
	case f == document.RTF || f == document.EML:
		if m := pictFact.FindStringSubmatch(facts); m != nil {
			pict, _ := strconv.Atoi(m[1])
			parts, _ := strconv.Atoi(m[2])
			least(pict+parts, "pictures", count[document.Image]+count[document.Frame])
		}
	}
	return out
}

func number(re *regexp.Regexp, facts string) int {
	m := re.FindStringSubmatch(facts)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// kinds adds up a list such as "EMF:1+PNG:2", but for what is no picture.
func kinds(re *regexp.Regexp, facts string) (total int) {
	m := re.FindStringSubmatch(facts)
	if m == nil {
		return 0
	}
	for kind := range strings.SplitSeq(m[1], "+") {
		name, n, _ := strings.Cut(kind, ":")
		if name == "mp3" || name == "?" {
			continue
		}
		k, _ := strconv.Atoi(n)
		total += k
	}
	return total
}
