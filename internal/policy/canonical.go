package policy

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Canonical writes the policy in its one form, which Parse reads back: every setting, in
// the order of the default file, without comments. Two policies that mean the same have
// the same canonical form.
func (p Policy) Canonical() []byte {
	var b strings.Builder
	set := func(key string, value any) { fmt.Fprintf(&b, "%s: %v\n", key, value) }
	set("name", strconv.Quote(p.Name))
	set("version", strconv.Quote(p.Version))
	b.WriteString("limits:\n")
	set("  source_bytes", p.Limits.SourceBytes)
	set("  assets", p.Limits.Assets)
	set("  pages", p.Limits.Pages)
	set("  frames", p.Limits.Frames)
	set("  asset_pixels", p.Limits.AssetPixels)
	set("  total_pixels", p.Limits.TotalPixels)
	set("  page_objects", p.Limits.PageObjects)
	set("  total_objects", p.Limits.TotalObjects)
	set("  drawn_pixels", p.Limits.DrawnPixels)
	set("  entries", p.Limits.Entries)
	set("  unpacked_bytes", p.Limits.UnpackedBytes)
	set("  ratio", p.Limits.Ratio)
	set("  depth", p.Limits.Depth)
	set("  filters", p.Limits.Filters)
	set("  page_dpi", p.Limits.PageDPI)
	set("  asset_seconds", p.Limits.AssetSeconds)
	set("  seconds", p.Limits.Seconds)
	b.WriteString("types:\n")
	for _, t := range ruled() {
		fmt.Fprintf(&b, "  %s: {action: %s, threshold: %s}\n", t, actions[p.Actions[t]], share(p.Thresholds[t]))
	}
	set("keep_year", p.KeepYear)
	set("zip", word(p.KeepZIP3, wholeZIP, keepZIP3))
	set("ages", word(p.AllAges, agesOver89, allAges))
	set("codes", word(p.CodesPersonalOnly, allCodes, personalCodes))
	set("unknown_words", p.UnknownWords)
	set("unread", p.Unread)
	set("withheld", p.Withheld)
	set("padding_px", p.PaddingPX)
	set("fill", strconv.Quote(p.Fill.String()))
	set("labels", p.Labels)
	b.WriteString("retention:\n")
	set("  originals", nanoseconds(p.Retention.Originals))
	set("  derivatives", nanoseconds(p.Retention.Derivatives))
	set("  uploads", nanoseconds(p.Retention.Uploads))
	set("archives", word(p.OpenArchives, refuseArchives, openArchives))
	set("deny_media_types", flow(p.DenyMediaTypes))
	set("deny_sources", flow(p.DenySources))
	set("deny_tenants", flow(quoted(p.DenyTenants)))
	return []byte(b.String())
}

// word is the opposite of choice.
func word(is bool, no, yes string) string {
	if is {
		return yes
	}
	return no
}

// flow writes a list in one line.
func flow(items []string) string { return "[" + strings.Join(items, ", ") + "]" }

// quoted keeps what a person chose from being read as a number or a word of YAML.
func quoted(items []string) []string {
	out := make([]string, len(items))
	for i, item := range items {
		out[i] = strconv.Quote(item)
	}
	return out
}

// share writes a number from 0 to 1 with as many digits as it takes to read it back.
func share(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// nanoseconds writes a time in its smallest unit, which loses nothing.
func nanoseconds(d time.Duration) string { return strconv.FormatInt(int64(d), 10) + "ns" }
