package intake

import (
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"blotter/client"
	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// documentOperations describes what takes documents in (documents.go serves it).
func documentOperations() []operation {
	return []operation{submitDocument(), redactImage()}
}

// taken are the reasons for which a document is not taken in.
var taken = []reason.Code{
	reason.APIRequest, reason.APIKeyMissing, reason.APIInProgress, reason.APIKeyReused, reason.APIMediaType, reason.APITooLarge,
	reason.APIBodyTimeout, reason.QueueFull, reason.SniffEmpty, reason.SourceBytes, reason.SourceDigest, reason.PolicyUnknown,
	reason.VaultUnavailable, reason.HostDisk,
}

func submitDocument() operation {
	return operation{
		pattern: "POST " + documentsPath, right: access.Submit,
		id: "submitDocument", tag: tagDocuments, summary: "Send a document, or a reference to one",
		text: "Answers at once with a job; ask for the job to see what became of the document. The same request under the same " +
			"Idempotency-Key gives the same answer again, as long as the job is remembered, 24 hours at least.",
		params: append([]*huma.Param{idempotencyKey(), contentDigestParam("Content-Digest"), contentDigestParam("Repr-Digest")}, submitParams()...),
		body:   submitBody(),
		success: []success{
			{202, "The document was taken in", "application/json", client.Accepted{}, []string{"Location", digestHeader}},
		},
		reasons: append([]reason.Code{reason.SourceReference, reason.SourceOutside, reason.APIUploads}, taken...),
		curl: `curl -H "Authorization: Bearer $KEY" -H "Idempotency-Key: $(uuidgen)" -H "Content-Type: application/octet-stream" ` +
			`--data-binary @letter.pdf "$BLOTTER/v1/documents"`,
	}
}

// refusals are the reasons for which the synchronous path hands no image out: besides those
// of its own, every end that a job can have.
func refusals() []reason.Code {
	out := []reason.Code{
		reason.APINotAccepted, reason.APIBusy, reason.APIDeadline, reason.QueueAttempts, reason.QueueStopped, reason.JobCancelled, reason.JobDiscarded,
		reason.JobNoResult, reason.VaultDamaged, reason.VaultKeyGone, reason.AuditUnavailable, reason.WorkdirFailed,
	}
	for _, e := range reason.Table() {
		room, _, _ := strings.Cut(string(e.Code), ".")
		if slices.Contains([]string{"sniff", "extract", "read", "redact", "cell"}, room) {
			out = append(out, e.Code)
		}
	}
	return append(out, reason.PolicyDenied, reason.PolicyWithheld)
}

func redactImage() operation {
	return operation{
		pattern: redactPattern, right: access.Submit,
		id: "redactImage", tag: tagDocuments, summary: "Redact one small image while the client waits",
		text: "One PNG, JPEG or other single-frame image of at most 1 MiB and 2 megapixels. It leaves the same events and receipt as " +
			"every job. What is larger, or comes while the small pool is busy, belongs to `POST /v1/documents`.",
		params: []*huma.Param{optionalKey(), contentDigestParam("Content-Digest"), contentDigestParam("Repr-Digest"), policyParam()},
		body: &huma.RequestBody{Required: true, Description: "The image", Content: map[string]*huma.MediaType{
			"application/octet-stream": {Schema: binary()},
		}},
		success: []success{
			{200, "The redacted image", "image/png", binary(), append([]string{"Blotter-Job", "Location", digestHeader}, partHeaders...)},
		},
		reasons: append(refusals(), taken...),
		curl: `curl -H "Authorization: Bearer $KEY" -H "Content-Type: application/octet-stream" --data-binary @card.png ` +
			`-o redacted.png "$BLOTTER/v1/redact"`,
	}
}

func idempotencyKey() *huma.Param {
	return &huma.Param{
		Name: "Idempotency-Key", In: "header", Required: true, Example: "9f1c2f0e-6d0f-4f2c-9a51-5f2f6f9d7c11",
		Description: "New for each document, and the same again with each retry",
		Schema:      &huma.Schema{Type: huma.TypeString, Pattern: `^[!-~]{1,255}$`},
	}
}

func optionalKey() *huma.Param {
	p := idempotencyKey()
	p.Required = false
	return p
}

func contentDigestParam(name string) *huma.Param {
	return &huma.Param{
		Name: name, In: "header", Description: "SHA-256 that the body must have, as in RFC 9530; checked while it is received",
		Schema: &huma.Schema{Type: huma.TypeString}, Example: "sha-256=:" + "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:",
	}
}

func policyParam() *huma.Param {
	return &huma.Param{
		Name: "policy", In: "query", Description: "Name of the redaction policy; the node's own without it",
		Schema: &huma.Schema{Type: huma.TypeString},
	}
}

func submitParams() []*huma.Param {
	return []*huma.Param{
		policyParam(),
		{Name: "lane", In: "query", Description: "Lane in which the job waits; without it bulk, or the only one that the key may use", Schema: oneOf(document.Lanes())},
		{Name: "originals", In: "query", Description: "Also keep each image as it was before redaction, for a review", Schema: &huma.Schema{Type: huma.TypeBoolean}},
	}
}

func submitBody() *huma.RequestBody {
	form := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{
		"sha256":    {Type: huma.TypeString, Pattern: "^[0-9a-f]{64}$", Description: "SHA-256 that the file must have; must come before it"},
		"policy":    {Type: huma.TypeString, Description: "Name of the redaction policy; the node's own without it"},
		"lane":      {Type: huma.TypeString, Enum: oneOf(document.Lanes()).Enum, Description: "Lane in which the job waits"},
		"originals": {Type: huma.TypeString, Enum: []any{"true", "false"}, Description: "Also keep each image as it was before redaction"},
		"hints":     {Type: huma.TypeString, Description: "JSON of the schema Hints"},
		"file":      {Type: huma.TypeString, Format: "binary", Description: "The document"},
	}, Required: []string{"sha256", "file"}, Description: "`sha256` and the settings in any order, then the file; nothing behind it. The file's name is thrown away"}
	return &huma.RequestBody{
		Required: true, Description: "The document itself, a form with it, or a reference with its digest",
		Content: map[string]*huma.MediaType{
			"application/octet-stream": {Schema: described(binary(), "The document; any other type that is not listed means the same, and is not trusted. Settings stand in the query")},
			"multipart/form-data":      {Schema: form},
			"application/json":         {Schema: &huma.Schema{Ref: schemas + "Reference"}},
		},
	}
}

// requestSchemas are the types of JSON bodies, which the registry must know.
var requestSchemas = []reflect.Type{reflect.TypeFor[client.Reference](), reflect.TypeFor[client.Hints]()}
