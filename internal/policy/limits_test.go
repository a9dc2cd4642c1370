package policy_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"blotter/internal/cell"
	"blotter/internal/policy"
	"blotter/internal/reason"
)

// Every limit that a file can set stands in the table, with its default and a code.
func TestTableHasEveryLimit(t *testing.T) {
	canonical := string(policy.Default().Canonical())
	_, body, _ := strings.Cut(canonical, "limits:\n")
	body, _, _ = strings.Cut(body, "types:\n")
	var want strings.Builder
	for _, l := range policy.Limits() {
		fmt.Fprintf(&want, "  %s: %d\n", l.Name, l.Default())
		if _, known := reason.Lookup(l.Reason); !known && l.Ends != policy.EndsNothing {
			t.Errorf("%s has the code %q", l.Name, l.Reason)
		}
		if l.Unit == "" || l.Why == "" {
			t.Errorf("%s has no unit or no reason for its default", l.Name)
		}
	}
	if want.String() != body {
		t.Errorf("the table has\n%swant\n%s", want.String(), body)
	}
}

const limitsFile = "../../docs/limits.md"

// docs/limits.md is written from the code.
func TestLimitsAreDocumented(t *testing.T) {
	want := fmt.Sprintf(`# Limits

<!-- Written by: go test ./internal/policy -update. Do not edit. -->

What one document may cost. The limits stand in the [policy](policy.md), under `+"`limits`"+`; a node's configuration can only
tighten them. Each is judged before its cost is paid: from the length while bytes stream in, from directories before
anything is unpacked, from headers before anything is decoded.

%s
An image that is withheld keeps its place in the result, with its reason. What becomes of the document then is for the
policy's setting `+"`withheld`"+`: the others are handed out, a person decides, or the document is rejected.

Some bounds of PDF files are fixed, because no honest file comes near them and nothing is gained by moving them. A file has at
most 500,000 objects, old versions included (`+"`%s`"+`). All its streams together unpack to at most 16 times
`+"`unpacked_bytes`"+` while each is measured against that (`+"`%s`"+`). What pages draw is counted by reading at most 4 times
`+"`unpacked_bytes`"+` of operators, and forms lie at most 24 deep in each other (`+"`%s`"+`).

Two more are the node's, in its [configuration](configuration.md):

| setting | default | over it | reason |
|---|---:|---|---|
| `+"`cell.memory_bytes`"+` | %d | an image whose estimate does not fit is withheld before it is decoded | `+"`%s`"+` |
| | | a cell that takes more all the same is killed, and the document is rejected | `+"`%s`"+` |
| `+"`api.max_body_bytes`"+` | 26214400 | an upload is refused as soon as its length is known | `+"`%s`"+` |

The estimate is what reading takes (350 MB, whatever the page's size) and for each pixel 8 bytes of an image (14 where a
channel has more than 8 bits, 16 in an animation, a drawing or under the mask of a PDF, 24 in one of PNG, 23 in a progressive JPEG of three full components and 40 of four, 8 for
each component and 8 more in JPEG 2000) and 18 of a page, and what the costliest image on the page takes. `+"`blotter survey`"+` proposes limits for documents of your own, and `+"`blotter inspect`"+` says which of them a document meets.
`, policy.LimitsTable(), reason.ExtractEntries, reason.ExtractUnpacked, reason.ExtractObjects, cell.DefaultMemory, reason.ExtractMemory, reason.CellMemory, reason.APITooLarge)
	if *update {
		if err := os.WriteFile(limitsFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(limitsFile)
	if err != nil || string(got) != want {
		t.Errorf("docs/limits.md is not what the code says (%v): go test ./internal/policy -update", err)
	}
}
