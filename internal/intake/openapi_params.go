package intake

import (
	"github.com/danielgtaylor/huma/v2"

	"blotter/internal/document"
	"blotter/internal/reason"
)

const exampleJob = "j0123456789abcdefghjkmnpqrs"

func jobID() *huma.Param {
	return &huma.Param{
		Name: "id", In: "path", Required: true, Description: "Identifier of the job", Example: exampleJob,
		Schema: &huma.Schema{Type: huma.TypeString, Pattern: "^j[0-9a-hjkmnp-tv-z]{26}$"},
	}
}

func assetNumber() *huma.Param {
	return &huma.Param{
		Name: "n", In: "path", Required: true, Description: "Number of the image in the document, from 1 on", Example: 1,
		Schema: &huma.Schema{Type: huma.TypeInteger, Minimum: number(1), Maximum: number(maxIndex)},
	}
}

func preferWait() *huma.Param {
	return &huma.Param{
		Name: "Prefer", In: "header", Example: "wait=30",
		Description: "`wait=N`: answer once the job has ended, after N seconds at the latest (RFC 7240). More than 30 counts as 30",
		Schema:      &huma.Schema{Type: huma.TypeString},
	}
}

func ifNoneMatch() *huma.Param {
	return &huma.Param{
		Name: "If-None-Match", In: "header", Description: "ETag of an earlier answer",
		Schema: &huma.Schema{Type: huma.TypeString},
	}
}

func eventNumber() *huma.Schema {
	return &huma.Schema{Type: huma.TypeInteger, Minimum: number(-1), Maximum: number(999_999_999_999_999_999)}
}

func listParams() []*huma.Param {
	return []*huma.Param{
		{Name: "state", In: "query", Description: "Only jobs in this state", Schema: oneOf(document.States())},
		{Name: "lane", In: "query", Description: "Only jobs of this lane", Schema: oneOf(document.Lanes())},
		{Name: "reason", In: "query", Description: "Only jobs with this reason code", Schema: oneOf(allReasons()), Example: reason.SniffUnknown},
		{Name: "tenant", In: "query", Description: "Only jobs of this tenant; for keys of every tenant", Schema: tenantName()},
		{Name: "limit", In: "query", Description: "Most jobs on the page", Schema: &huma.Schema{
			Type: huma.TypeInteger, Minimum: number(1), Maximum: number(MaxPage), Default: DefaultPage,
		}},
		{Name: "cursor", In: "query", Description: "`next` of an earlier page", Schema: &huma.Schema{Type: huma.TypeString}},
	}
}

func replayParams() []*huma.Param {
	var out []*huma.Param
	for _, p := range listParams()[1:] { // all but the state
		switch p.Name {
		case "reason":
			p.Description, p.Required, p.Example = "The reason code of the jobs", true, reason.SourceUnreadable
		case "limit":
			p.Description = "Most jobs to look at"
			p.Schema.Maximum, p.Schema.Default = number(MaxReplay), DefaultReplay
		}
		out = append(out, p)
	}
	return out
}

func tenantName() *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Pattern: "^[a-z0-9_-]{1,64}$"}
}

func allReasons() (out []reason.Code) {
	for _, e := range reason.Table() {
		out = append(out, e.Code)
	}
	return out
}

// oneOf is the schema of an enumeration.
func oneOf[T ~string](values []T) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}

func number(n float64) *float64 { return &n }

func binary() *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "binary"}
}

func described(s *huma.Schema, text string) *huma.Schema {
	s.Description = text
	return s
}

func jsonObject(text string) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Description: text}
}
