package prose

import (
	"slices"
	"testing"

	"blotter/internal/specimen/people"
)

func TestHalvesSayDifferentThings(t *testing.T) {
	tune, publish := Open(people.Tune), Open(people.Publish)
	for part, sentences := range tune.parts {
		if len(sentences) == 0 || len(publish.parts[part]) == 0 {
			t.Errorf("%s is empty in one half", part)
		}
		for _, s := range sentences {
			if slices.Contains(publish.parts[part], s) {
				t.Errorf("both halves say %q", s)
			}
		}
	}
	if len(tune.Specialties()) < 10 || len(tune.Part("cardiology", "history")) < 8 || len(tune.Letter("pt")) < 5 {
		t.Error("there is too little prose")
	}
	for _, list := range []string{"drug", "lab", "eponym", "complaint", "diagnosis", "service", "specialty"} {
		if len(tune.List(list)) < 15 {
			t.Errorf("list %s is short", list)
		}
	}
}
