package eval

import "encoding/json"

// Score counts what redaction did. Values, words and areas are those to destroy, but for
// Kept and Lost, which speak of words to keep. What may go either way is in no count.
type Score struct {
	Values          int `json:"values"`           // a value is a name, a number, an address: one word or more
	ValuesDestroyed int `json:"values_destroyed"` // in every one of their words
	Words           int `json:"words"`
	WordsDestroyed  int `json:"words_destroyed"`
	Areas           int `json:"areas"` // faces, codes, signatures
	AreasDestroyed  int `json:"areas_destroyed"`
	Kept            int `json:"words_to_keep"`
	Lost            int `json:"words_lost"`
	AreasKept       int `json:"areas_to_keep"`
	AreasLost       int `json:"areas_lost"`
}

// ValueRecall is the share of values that were wholly destroyed; 1 where there are none.
func (s Score) ValueRecall() float64 { return share(s.ValuesDestroyed, s.Values, 1) }

// WordRecall is the share of words that were destroyed; 1 where there are none.
func (s Score) WordRecall() float64 { return share(s.WordsDestroyed, s.Words, 1) }

// Precision is the share of what was to go in all words that went; 1 where none did.
func (s Score) Precision() float64 { return share(s.WordsDestroyed, s.WordsDestroyed+s.Lost, 1) }

// OverRedaction is the share of the words to keep that were lost; 0 where there are none.
func (s Score) OverRedaction() float64 { return share(s.Lost, s.Kept, 0) }

// AreaRecall is the share of areas that were destroyed; 1 where there are none.
func (s Score) AreaRecall() float64 { return share(s.AreasDestroyed, s.Areas, 1) }

func share(part, whole int, otherwise float64) float64 {
	if whole == 0 {
		return otherwise
	}
	return float64(part) / float64(whole)
}

// MarshalJSON writes the counts and, where there is something to divide by, the shares.
func (s Score) MarshalJSON() ([]byte, error) {
	type counts Score
	return json.Marshal(struct {
		counts
		ValueRecall   *float64 `json:"value_recall,omitempty"`
		WordRecall    *float64 `json:"word_recall,omitempty"`
		AreaRecall    *float64 `json:"area_recall,omitempty"`
		Precision     *float64 `json:"precision,omitempty"`
		OverRedaction *float64 `json:"over_redaction,omitempty"`
	}{
		counts(s), some(s.Values, s.ValueRecall()), some(s.Words, s.WordRecall()), some(s.Areas, s.AreaRecall()),
		some(s.WordsDestroyed+s.Lost, s.Precision()), some(s.Kept, s.OverRedaction()),
	})
}

func some(whole int, share float64) *float64 {
	if whole == 0 {
		return nil
	}
	return &share
}

// add adds another score.
func (s *Score) add(o Score) {
	s.Values += o.Values
	s.ValuesDestroyed += o.ValuesDestroyed
	s.Words += o.Words
	s.WordsDestroyed += o.WordsDestroyed
	s.Areas += o.Areas
	s.AreasDestroyed += o.AreasDestroyed
	s.Kept += o.Kept
	s.Lost += o.Lost
	s.AreasKept += o.AreasKept
	s.AreasLost += o.AreasLost
}
