package detect

import (
	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// tagged takes over what the operator's classifier says of the page's words (package
// tag). A label that is glued to the front of a value is no part of what was found; a
// word that is a label and nothing else is not personal, whatever the classifier says.
func (f *Finder) tagged(sh *sheet) []span {
	tags := map[int][]words.Tag{}
	for _, t := range sh.page.Tags {
		tags[t.Word] = append(tags[t.Word], t)
	}
	var out []span
	for i := 0; i < len(sh.toks) && len(tags) > 0; {
		from, to := i, sh.endOfWord(i)
		for from < to && sh.inLabel[from] {
			from++
		}
		for _, t := range tags[sh.toks[i].word] {
			if from < to {
				out = append(out, span{from, to, t.Type, t.Score, document.ByModel})
			}
		}
		i = to
	}
	return out
}

// endOfWord is the token after the last of the word that token i belongs to.
func (sh *sheet) endOfWord(i int) int {
	j := i + 1
	for j < len(sh.toks) && sh.toks[j].word == sh.toks[i].word {
		j++
	}
	return j
}
