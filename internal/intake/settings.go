package intake

import (
	"net/url"
	"slices"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// settings are what a client asks for besides the document.
type settings struct {
	policy    string        // name; "": the node's own
	lane      document.Lane // "": the client leaves it to its key
	originals bool
	hints     []byte          // JSON of client.Hints in our spelling; nil: none
	sha256    document.Digest // of the document, where it is promised
	promised  bool            // sha256 was given; all zeros is a promise too, and never kept
	source    string          // URL of a reference; "" for a document that is sent
}

// parts are what tells one request from another under the same Idempotency-Key, as the
// client asked for it: what a node makes of a name that is left out may change between a
// request and its repetition.
func (s settings) parts() [][]byte {
	originals := "redacted"
	if s.originals {
		originals = "originals"
	}
	return [][]byte{[]byte(s.policy), []byte(s.lane), []byte(originals), s.hints, []byte(s.source)}
}

// setters set the settings that are plain words, by name. They report whether the value
// is possible.
var setters = map[string]func(s *settings, value string) bool{
	"policy": func(s *settings, v string) bool { s.policy = v; return len(v) <= 64 },
	"lane": func(s *settings, v string) bool {
		s.lane = document.Lane(v)
		return v == "" || slices.Contains(document.Lanes(), s.lane)
	},
	"originals": func(s *settings, v string) bool {
		s.originals = v == "true"
		return v == "" || v == "true" || v == "false"
	},
	"sha256": func(s *settings, v string) (ok bool) {
		d, err := document.ParseDigest(v)
		s.sha256, s.promised = d, true
		return err == nil
	},
}

// fromQuery reads settings from a query that may hold the names given, each once.
func fromQuery(u *url.URL, allowed ...string) (settings, error) {
	var s settings
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return s, fault(reason.APIRequest, "query: not well-formed")
	}
	var faults []string
	for name, v := range values {
		switch {
		case !slices.Contains(allowed, name):
			faults = append(faults, "query: an unknown parameter")
		case len(v) > 1:
			faults = append(faults, "query "+name+": given twice")
		case !setters[name](&s, v[0]):
			faults = append(faults, "query "+name+": not a value that it may have")
		}
	}
	return s, faulty(faults)
}

// faulty is nil where there are no faults; the order of a map does not show.
func faulty(faults []string) error {
	if len(faults) == 0 {
		return nil
	}
	slices.Sort(faults)
	return fault(reason.APIRequest, slices.Compact(faults)...)
}
