package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"blotter/internal/document"
	"blotter/internal/strictyaml"
)

// Ceilings of limits: beyond them a number is more likely a slip of units than meant
// (fault F24), and sums could overflow.
const (
	mostBytes   = 1 << 40 // 1 TiB
	mostPixels  = 1 << 40
	mostItems   = 1 << 24
	mostDrawn   = 1 << 32
	mostDPI     = 1200
	leastDPI    = 72
	mostSeconds = 24 * 60 * 60
	mostPadding = 64
	mostKeeping = 87600 * time.Hour // ten years
	mostRatio   = 1 << 20
	mostFilters = 32
	mostDepth   = document.MaxDepth - 1 // the path of what lies too deep must be told, too
)

// draft collects what needs a second step after reading.
type draft struct {
	*Policy
	actions    map[document.Type]*string
	thresholds map[document.Type]*float64
	fill       *string
}

// actions are the words for what happens to a type.
var actions = map[document.Action]string{document.Redact: "redact", document.Review: "review", document.Keep: "keep"}

// Words for settings that are a yes or no to the rest of the program.
const (
	wholeZIP, keepZIP3           = "whole", "keep3"
	agesOver89, allAges          = "over_89", "all"
	allCodes, personalCodes      = "always", "personal"
	refuseArchives, openArchives = "refuse", "open"
)

// ruled lists the types that have an action and a threshold. What was not read, and what
// no vocabulary explains, have one setting each.
func ruled() []document.Type {
	return slices.DeleteFunc(document.Types(), func(t document.Type) bool { return t == document.Unread || t == document.Unknown })
}

// fields lists every setting in the order of the default file. It is the one list that
// reading and Canonical follow.
func (d draft) fields() []strictyaml.Field {
	l := &d.Limits
	out := []strictyaml.Field{
		{Path: "name", Set: strictyaml.Text(&d.Name, checkName)},
		{Path: "version", Set: strictyaml.Text(&d.Version, checkName)},
		{Path: "limits.source_bytes", Set: strictyaml.Whole(&l.SourceBytes, 1, mostBytes)},
		{Path: "limits.assets", Set: strictyaml.Whole(&l.Assets, 1, mostItems)},
		{Path: "limits.pages", Set: strictyaml.Whole(&l.Pages, 1, mostItems)},
		{Path: "limits.frames", Set: strictyaml.Whole(&l.Frames, 1, mostItems)},
		{Path: "limits.asset_pixels", Set: strictyaml.Whole(&l.AssetPixels, 1, mostPixels)},
		{Path: "limits.total_pixels", Set: strictyaml.Whole(&l.TotalPixels, 1, mostPixels)},
		{Path: "limits.page_objects", Set: strictyaml.Whole(&l.PageObjects, 1, mostItems)},
		{Path: "limits.total_objects", Set: strictyaml.Whole(&l.TotalObjects, 1, mostDrawn)},
		{Path: "limits.drawn_pixels", Set: strictyaml.Whole(&l.DrawnPixels, 1, mostPixels)},
		{Path: "limits.entries", Set: strictyaml.Whole(&l.Entries, 1, mostItems)},
		{Path: "limits.unpacked_bytes", Set: strictyaml.Whole(&l.UnpackedBytes, 1, mostBytes)},
		{Path: "limits.ratio", Set: strictyaml.Whole(&l.Ratio, 1, mostRatio)},
		{Path: "limits.depth", Set: strictyaml.Whole(&l.Depth, 0, mostDepth)},
		{Path: "limits.filters", Set: strictyaml.Whole(&l.Filters, 1, mostFilters)},
		{Path: "limits.page_dpi", Set: strictyaml.Whole(&l.PageDPI, leastDPI, mostDPI)},
		{Path: "limits.asset_seconds", Set: strictyaml.Whole(&l.AssetSeconds, 1, mostSeconds)},
		{Path: "limits.seconds", Set: strictyaml.Whole(&l.Seconds, 1, mostSeconds)},
	}
	for _, t := range ruled() {
		out = append(out, d.typeFields(t)...)
	}
	return append(out,
		strictyaml.Field{Path: "keep_year", Set: strictyaml.Bool(&d.KeepYear)},
		strictyaml.Field{Path: "zip", Set: choice(&d.KeepZIP3, wholeZIP, keepZIP3)},
		strictyaml.Field{Path: "ages", Set: choice(&d.AllAges, agesOver89, allAges)},
		strictyaml.Field{Path: "codes", Set: choice(&d.CodesPersonalOnly, allCodes, personalCodes)},
		strictyaml.Field{Path: "unknown_words", Set: strictyaml.OneOf(&d.UnknownWords, document.NoWords, document.LikeNames, document.AllWords)},
		strictyaml.Field{Path: "unread", Set: strictyaml.OneOf(&d.Unread, document.CoverUnread, document.ReviewUnread, document.WithholdUnread)},
		strictyaml.Field{Path: "withheld", Set: strictyaml.OneOf(&d.Withheld, Release, Review, Reject)},
		strictyaml.Field{Path: "padding_px", Set: strictyaml.Whole(&d.PaddingPX, 0, mostPadding)},
		strictyaml.Field{Path: "fill", Set: strictyaml.Text(d.fill, checkColour)},
		strictyaml.Field{Path: "labels", Set: strictyaml.Bool(&d.Labels)},
		strictyaml.Field{Path: "retention.originals", Set: strictyaml.Duration(&d.Retention.Originals, 0, mostKeeping)},
		strictyaml.Field{Path: "retention.derivatives", Set: strictyaml.Duration(&d.Retention.Derivatives, 0, mostKeeping)},
		strictyaml.Field{Path: "retention.uploads", Set: strictyaml.Duration(&d.Retention.Uploads, 0, mostKeeping)},
		strictyaml.Field{Path: "archives", Set: choice(&d.OpenArchives, refuseArchives, openArchives)},
		strictyaml.Field{Path: "deny_media_types", Set: strictyaml.List(&d.DenyMediaTypes, checkMediaType)},
		strictyaml.Field{Path: "deny_sources", Set: strictyaml.List(&d.DenySources, checkSource)},
		strictyaml.Field{Path: "deny_tenants", Set: strictyaml.List(&d.DenyTenants, checkTenant)},
	)
}

func (d draft) typeFields(t document.Type) []strictyaml.Field {
	action, threshold := new(string), new(float64)
	*action, *threshold = actions[d.Actions[t]], d.Thresholds[t]
	d.actions[t], d.thresholds[t] = action, threshold
	return []strictyaml.Field{
		{Path: "types." + t.String() + ".action", Set: strictyaml.OneOf(action, actions[document.Redact], actions[document.Review], actions[document.Keep])},
		{Path: "types." + t.String() + ".threshold", Set: strictyaml.Share(threshold)},
	}
}

// choice sets a flag by one of two words.
func choice(dst *bool, no, yes string) func(strictyaml.Value) error {
	var word string
	set := strictyaml.OneOf(&word, no, yes)
	return func(v strictyaml.Value) error {
		if err := set(v); err != nil {
			return err
		}
		*dst = word == yes
		return nil
	}
}

// finish moves the draft into the policy and puts lists in order.
func (d draft) finish() error {
	named := map[string]document.Action{}
	for a, name := range actions {
		named[name] = a
	}
	// New maps: the draft's policy may be a copy of another.
	d.Actions, d.Thresholds = map[document.Type]document.Action{}, map[document.Type]float64{}
	for _, t := range ruled() {
		d.Actions[t], d.Thresholds[t] = named[*d.actions[t]], *d.thresholds[t]
	}
	var err error
	if d.Fill, err = document.ParseColour(*d.fill); err != nil {
		return err
	}
	for _, list := range []*[]string{&d.DenyMediaTypes, &d.DenySources, &d.DenyTenants} {
		sorted := slices.Clone(*list)
		slices.Sort(sorted)
		*list = slices.Compact(sorted)
	}
	return d.relations()
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

func checkName(s string) error {
	if !nameForm.MatchString(s) {
		return fmt.Errorf("must be 1 to 64 letters, digits, dots, dashes or underscores")
	}
	return nil
}

func checkColour(s string) error {
	if _, err := document.ParseColour(s); err != nil {
		return fmt.Errorf("must be a colour such as \"#1a2b3c\", in quotes")
	}
	return nil
}

// checkMediaType takes formats that blotter opens; others are refused anyway.
func checkMediaType(s string) error {
	for _, f := range document.Opened() {
		if f.String() == s {
			return nil
		}
	}
	return fmt.Errorf("names %q, which is no media type that blotter opens", s)
}

// ways are how a document can come in.
var ways = []string{"upload", "cli", "file", "s3", "gs", "azblob"}

func checkSource(s string) error {
	if !slices.Contains(ways, s) {
		return fmt.Errorf("names %q; the sources are %s", s, strings.Join(ways, ", "))
	}
	return nil
}

func checkTenant(s string) error {
	if _, err := document.ParseTenant(s); err != nil {
		return fmt.Errorf("names %q; a tenant is 1 to 64 of a-z, 0-9, _ and -", s)
	}
	return nil
}
