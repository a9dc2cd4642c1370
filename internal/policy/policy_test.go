package policy_test

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"blotter/internal/document"
	"blotter/internal/policy"
	"blotter/internal/reason"
)

var update = flag.Bool("update", false, "write docs/policy.md from the default file")

// The defaults that the mission and the manual name.
func TestDefault(t *testing.T) {
	p := policy.Default()
	want := document.Limits{SourceBytes: 25 << 20, Assets: 2000, Pages: 200, Frames: 500, AssetPixels: 40e6,
		TotalPixels: 2e9, PageObjects: 500_000, TotalObjects: 2_000_000, DrawnPixels: 5_000_000_000, Entries: 10000, UnpackedBytes: 256 << 20, Ratio: 200, Depth: 4, Filters: 5, PageDPI: 200, AssetSeconds: 300, Seconds: 900}
	if d := cmp.Diff(want, p.Limits); d != "" {
		t.Error(d)
	}
	for typ, action := range p.Actions {
		if action != document.Redact {
			t.Errorf("%s is kept", typ)
		}
	}
	if len(p.Actions) != len(document.Types())-2 || len(p.Thresholds) != len(p.Actions) {
		t.Errorf("%d types have an action, %d a threshold", len(p.Actions), len(p.Thresholds))
	}
	p.Actions, p.Thresholds = nil, nil
	rules := document.Rules{Unread: document.CoverUnread, UnknownWords: document.LikeNames, PaddingPX: 2}
	if d := cmp.Diff(rules, p.Rules); d != "" {
		t.Error(d)
	}
	if p.Withheld != policy.Release || p.Retention.Originals != 24*time.Hour || p.Retention.Uploads != 24*time.Hour {
		t.Errorf("got %+v", p)
	}
}

// The default file must give every setting, because it is the manual: the canonical form
// without comments has the same lines.
func TestDefaultFileIsComplete(t *testing.T) {
	if d := cmp.Diff(keys(policy.Default().Canonical()), keys(policy.DefaultFile())); d != "" {
		t.Error(d)
	}
}

func keys(file []byte) []string {
	var out []string
	for line := range strings.Lines(string(file)) {
		line, _, _ = strings.Cut(line, "#")
		if key, _, ok := strings.Cut(line, ":"); ok {
			out = append(out, key)
		}
	}
	return out
}

func TestParseFillsIn(t *testing.T) {
	p, err := policy.Parse([]byte("name: strict\nversion: 2\ntypes:\n  date: {action: review, threshold: 0.1}\n" +
		"zip: keep3\nages: all\ncodes: personal\nunknown_words: strict\nunread: review\nfill: '#FF8000'\nlabels: true\n" +
		"limits: {pages: 3}\ndeny_media_types: [image/tiff, image/png, image/tiff]\n" +
		"deny_sources: [s3, cli, s3]\ndeny_tenants: [b-2, 007]\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := policy.Default()
	want.Name, want.Version = "strict", "2"
	want.Limits.Pages = 3
	want.Actions[document.Date], want.Thresholds[document.Date] = document.Review, 0.1
	want.KeepZIP3, want.AllAges, want.CodesPersonalOnly = true, true, true
	want.UnknownWords, want.Unread = document.AllWords, document.ReviewUnread
	want.Fill, want.Labels = document.Colour{R: 255, G: 128}, true
	want.DenyMediaTypes = []string{"image/png", "image/tiff"}
	want.DenySources, want.DenyTenants = []string{"cli", "s3"}, []string{"007", "b-2"}
	if d := cmp.Diff(want, p); d != "" {
		t.Error(d)
	}
	if !p.Denies(document.TIFF) || p.Denies(document.PDF) {
		t.Error("the deny list is not what Denies answers")
	}
	if got := p.DeniedFormats(); !slices.Equal(got, []document.Format{document.PNG, document.TIFF}) {
		t.Errorf("denied formats %v", got)
	}
	if !p.Reviews(document.Date) || !p.Reviews(document.Unread) || p.Reviews(document.Name) {
		t.Error("what a person must look at is not what Reviews answers")
	}
	if !p.DeniesSource("s3") || p.DeniesSource("upload") || !p.DeniesTenant("007") || p.DeniesTenant("7") {
		t.Error("the deny lists are not what DeniesSource and DeniesTenant answer")
	}
}

func TestParseReportsEverything(t *testing.T) {
	_, err := policy.Parse([]byte(`name: a b
version: "1"
limits:
  pages: 0
  pixels: 7
types:
  names: {action: redact}
  date: {action: blur, threshold: 1.5}
  unread: {action: keep}
unread: cover
unread: withhold
retention:
  originals: 24
deny_media_types: image/png
`))
	if reason.Of(err) != reason.PolicyInvalid {
		t.Fatalf("code %s", reason.Of(err))
	}
	for _, want := range []string{
		"line 1: name must be", "line 4: limits.pages must be", "line 5: \"limits.pixels\" is not a setting",
		"line 7: \"types.names\" is not a setting", "line 8: types.date.action must be one of redact, review, keep",
		"line 8: types.date.threshold must be", "line 9: \"types.unread\" is not a setting",
		"line 11: \"unread\" is given twice; first in line 10",
		"line 13: retention.originals must be", "line 14: deny_media_types must be a list",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in:\n%v", want, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for name, file := range map[string]string{
		"nothing":       "",
		"no version":    "name: x\n",
		"not a mapping": "- name\n- version\n",
		"scalar":        "hello",
		"unbalanced":    "name: [x\nversion: 1\n",
		"two documents": "name: x\nversion: 1\n---\nname: y\n",
		"alias":         "name: &n x\nversion: *n\n",
		"tag":           "name: !!str x\nversion: 1\n",
		"merge":         "name: x\nversion: 1\nlimits:\n  <<: {pages: 1}\n",
		"null":          "name: x\nversion:\n",
		"empty limits":  "name: x\nversion: 1\nlimits:\n",
		"map for value": "name: {a: b}\nversion: 1\n",
		"unit slip":     "name: x\nversion: 1\nlimits: {page_dpi: 300000}\n",
		"NaN":           "name: x\nversion: 1\ntypes: {name: {threshold: .nan}}\n",
		"contradiction": "name: x\nversion: 1\nlimits: {total_pixels: 10, asset_pixels: 11}\n",
		"foreign media": "name: x\nversion: 1\ndeny_media_types: [text/html]\n",
		"foreign way":   "name: x\nversion: 1\ndeny_sources: [ftp]\n",
		"no tenant":     "name: x\nversion: 1\ndeny_tenants: [Ward 7]\n",
		"no colour":     "name: x\nversion: 1\nfill: red\n",
		"half a colour": "name: x\nversion: 1\nfill: '#fff'\n",
		"half a ZIP":    "name: x\nversion: 1\nzip: keep4\n",
		"a wish":        "name: x\nversion: 1\nages: '90'\n",
		"huge":          "name: x\nversion: 1\n#" + strings.Repeat("x", 1<<20),
	} {
		if _, err := policy.Parse([]byte(file)); reason.Of(err) != reason.PolicyInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCanonicalReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t)
		q, err := policy.Parse(p.Canonical())
		if err != nil {
			t.Fatalf("%v in\n%s", err, p.Canonical())
		}
		if d := cmp.Diff(p, q); d != "" {
			t.Fatal(d)
		}
		if !bytes.Equal(p.Canonical(), q.Canonical()) || p.Digest() != q.Digest() {
			t.Fatal("another canonical form after reading back")
		}
	})
}

func draw(t *rapid.T) policy.Policy {
	p := policy.Default()
	p.Name = rapid.StringMatching(`[A-Za-z0-9._-]{1,64}`).Draw(t, "name")
	p.Version = rapid.StringMatching(`[A-Za-z0-9._-]{1,64}`).Draw(t, "version")
	p.Limits.AssetPixels = rapid.Int64Range(1, 1<<40).Draw(t, "asset pixels")
	p.Limits.TotalPixels = rapid.Int64Range(p.Limits.AssetPixels, 1<<40).Draw(t, "total pixels")
	for typ := range p.Actions {
		p.Actions[typ] = document.Action(rapid.IntRange(0, 2).Draw(t, "action"))
		p.Thresholds[typ] = rapid.Float64Range(0, 1).Draw(t, "threshold")
	}
	p.KeepYear, p.KeepZIP3 = rapid.Bool().Draw(t, "year"), rapid.Bool().Draw(t, "ZIP")
	p.AllAges, p.CodesPersonalOnly = rapid.Bool().Draw(t, "ages"), rapid.Bool().Draw(t, "codes")
	p.UnknownWords = rapid.SampledFrom([]document.WordRule{document.NoWords, document.LikeNames, document.AllWords}).Draw(t, "words")
	p.Unread = rapid.SampledFrom([]document.UnreadRule{document.CoverUnread, document.ReviewUnread, document.WithholdUnread}).Draw(t, "unread")
	p.Fill = document.Colour{R: rapid.Byte().Draw(t, "red"), G: rapid.Byte().Draw(t, "green"), B: rapid.Byte().Draw(t, "blue")}
	p.Labels = rapid.Bool().Draw(t, "labels")
	p.Withheld = rapid.SampledFrom([]policy.Withheld{policy.Release, policy.Review, policy.Reject}).Draw(t, "withheld")
	p.Retention.Originals = time.Duration(rapid.Int64Range(0, int64(87600*time.Hour)).Draw(t, "originals"))
	p.Retention.Uploads = time.Duration(rapid.Int64Range(0, int64(87600*time.Hour)).Draw(t, "uploads"))
	p.DenySources = rapid.SampledFrom([][]string{{}, {"cli"}, {"azblob", "file", "upload"}}).Draw(t, "denied sources")
	p.DenyTenants = rapid.SampledFrom([][]string{{}, {"0x1"}, {"-", "_", "null", "true"}}).Draw(t, "denied tenants")
	p.DenyMediaTypes = rapid.SampledFrom([][]string{{}, {"image/png"}, {"application/pdf", "image/tiff"}}).Draw(t, "denied")
	return p
}

func TestDigestSeesMeaningOnly(t *testing.T) {
	parse := func(file string) policy.Policy {
		p, err := policy.Parse([]byte(file))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	a := parse("name: x\nversion: \"1\"\nunread: cover\nretention: {originals: 60m}\n")
	b := parse("# another look\nretention:\n  originals: 1h   # the same\n\nversion: 1\nname: 'x'\n")
	if a.Digest() != b.Digest() {
		t.Error("comments, order or spelling made another policy")
	}
	if parse("name: x\nversion: 1\nfill: '#0A0b0C'\n").Digest() != parse("name: x\nversion: 1\nfill: \"#0a0B0c\"\n").Digest() {
		t.Error("the spelling of a colour made another policy")
	}
	for _, other := range []string{
		"retention: {originals: 61m}", "types: {staff: {action: keep}}", "types: {face: {action: review}}",
		"keep_year: true", "zip: keep3", "ages: all", "codes: personal", "unknown_words: off", "unknown_words: strict",
		"unread: review", "fill: '#000001'", "labels: true",
	} {
		if c := parse("name: x\nversion: 1\n" + other + "\n"); a.Digest() == c.Digest() {
			t.Errorf("with %s it is the same policy", other)
		}
	}
}

func TestEnd(t *testing.T) {
	p := policy.Default()
	for _, c := range []struct {
		rule             policy.Withheld
		withheld, review bool
		want             document.State
	}{
		{policy.Release, false, false, document.Released},
		{policy.Release, true, false, document.Released},
		{policy.Release, true, true, document.AwaitingReview},
		{policy.Review, false, false, document.Released},
		{policy.Review, true, false, document.AwaitingReview},
		{policy.Review, false, true, document.AwaitingReview},
		{policy.Reject, false, false, document.Released},
		{policy.Reject, false, true, document.AwaitingReview},
		{policy.Reject, true, true, document.Rejected},
	} {
		p.Withheld = c.rule
		if got := p.End(c.withheld, c.review); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

const docsFile = "../../docs/policy.md"

func TestDocsAreCurrent(t *testing.T) {
	want := "# Redaction policies\n\n<!-- Written by: go test ./internal/policy -update. Do not edit. -->\n\n" +
		"Give a policy to `blotter redact` with `--policy FILE`. This is the default one:\n\n" +
		"```yaml\n" + string(policy.DefaultFile()) + "```\n"
	if *update {
		if err := os.WriteFile(docsFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(docsFile)
	if err != nil || string(got) != want {
		t.Errorf("docs/policy.md is old (%v); run: go test ./internal/policy -update", err)
	}
}

// FuzzParse: what is accepted comes back from its canonical form.
func FuzzParse(f *testing.F) {
	f.Add(policy.DefaultFile())
	f.Add([]byte("name: x\nversion: 1\ntypes: {name: {threshold: 1e-1}}\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		p, err := policy.Parse(file)
		if err != nil {
			return
		}
		q, err := policy.Parse(p.Canonical())
		if err != nil || p.Digest() != q.Digest() {
			t.Errorf("%v: %s became %s", err, p.Canonical(), q.Canonical())
		}
	})
}
