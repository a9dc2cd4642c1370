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
	mostDPI     = 1200
	leastDPI    = 72
	mostSeconds = 24 * 60 * 60
	mostPadding = 64
	mostKeeping = 87600 * time.Hour // ten years
	mostRatio   = 1 << 20
)

// draft collects what needs a second step after reading.
type draft struct {
	*Policy
	actions    map[document.Type]*string
	thresholds map[document.Type]*float64
}

const (
	actionRedact = "redact"
	actionKeep   = "keep"
)

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
		{Path: "limits.entries", Set: strictyaml.Whole(&l.Entries, 1, mostItems)},
		{Path: "limits.unpacked_bytes", Set: strictyaml.Whole(&l.UnpackedBytes, 1, mostBytes)},
		{Path: "limits.ratio", Set: strictyaml.Whole(&l.Ratio, 1, mostRatio)},
		{Path: "limits.page_dpi", Set: strictyaml.Whole(&l.PageDPI, leastDPI, mostDPI)},
		{Path: "limits.seconds", Set: strictyaml.Whole(&l.Seconds, 1, mostSeconds)},
	}
	for _, t := range document.Types() {
		out = append(out, d.typeFields(t)...)
	}
	return append(out,
		strictyaml.Field{Path: "unread", Set: strictyaml.OneOf(&d.Unread, Cover, Withhold)},
		strictyaml.Field{Path: "withheld", Set: strictyaml.OneOf(&d.Withheld, Release, Review, Reject)},
		strictyaml.Field{Path: "padding_px", Set: strictyaml.Whole(&d.PaddingPX, 0, mostPadding)},
		strictyaml.Field{Path: "keep_year", Set: strictyaml.Bool(&d.KeepYear)},
		strictyaml.Field{Path: "retention.originals", Set: strictyaml.Duration(&d.Retention.Originals, 0, mostKeeping)},
		strictyaml.Field{Path: "retention.derivatives", Set: strictyaml.Duration(&d.Retention.Derivatives, 0, mostKeeping)},
		strictyaml.Field{Path: "retention.uploads", Set: strictyaml.Duration(&d.Retention.Uploads, 0, mostKeeping)},
		strictyaml.Field{Path: "deny_media_types", Set: strictyaml.List(&d.DenyMediaTypes, checkMediaType)},
		strictyaml.Field{Path: "deny_sources", Set: strictyaml.List(&d.DenySources, checkSource)},
		strictyaml.Field{Path: "deny_tenants", Set: strictyaml.List(&d.DenyTenants, checkTenant)},
	)
}

func (d draft) typeFields(t document.Type) []strictyaml.Field {
	action, threshold := new(string), new(float64)
	*action, *threshold = actionName(d.Actions[t]), d.Thresholds[t]
	d.actions[t], d.thresholds[t] = action, threshold
	return []strictyaml.Field{
		{Path: "types." + t.String() + ".action", Set: strictyaml.OneOf(action, actionRedact, actionKeep)},
		{Path: "types." + t.String() + ".threshold", Set: strictyaml.Share(threshold)},
	}
}

// finish moves the draft into the policy's maps and puts lists in order.
func (d draft) finish() error {
	actions, thresholds := map[document.Type]document.Action{}, map[document.Type]float64{}
	for _, t := range document.Types() {
		actions[t], thresholds[t] = document.Redact, *d.thresholds[t]
		if *d.actions[t] == actionKeep {
			actions[t] = document.Keep
		}
	}
	d.Actions, d.Thresholds = actions, thresholds
	for _, list := range []*[]string{&d.DenyMediaTypes, &d.DenySources, &d.DenyTenants} {
		sorted := slices.Clone(*list)
		slices.Sort(sorted)
		*list = slices.Compact(sorted)
	}
	return d.relations()
}

func actionName(a document.Action) string {
	if a == document.Keep {
		return actionKeep
	}
	return actionRedact
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

func checkName(s string) error {
	if !nameForm.MatchString(s) {
		return fmt.Errorf("must be 1 to 64 letters, digits, dots, dashes or underscores")
	}
	return nil
}

// opened are the formats that a policy can deny; others are refused anyway.
var opened = []document.Format{
	document.PDF, document.PNG, document.JPEG, document.TIFF, document.GIF, document.BMP, document.WebP,
	document.DOCX, document.PPTX, document.XLSX,
}

func checkMediaType(s string) error {
	for _, f := range opened {
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
