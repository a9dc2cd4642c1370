package detect

import (
	"testing"

	"blotter/internal/cell/inside/words"
)

// TestNamesThatAreWords, in small letters, misread, with particles, and with the titles of
// seven languages.
func TestNamesThatAreWords(t *testing.T) {
	for _, text := range []string{
		"[[Will Hope]] denies pain", "[[Hope]] reports pain", "[[Rose Park]] was seen", "[[Grace Young]]", "her son [[Will]] and her aunt [[Joy]]",
		"pt [[john smith]] seen", "seen by [[JohnSmith]] today", "Patient: [[MARYANNLEE]]     Sex: F", "Mr. [[5mith]] was seen", "[[Jarnes Srnith]] was seen",
		"[[Jan van der Berg]] was seen", "[[Omar al-Rashid]] was seen", "[[Sean O'Brien]] and [[Ian McTavish]]", "[[John Smith Jr.]] and [[Robert Jones III]] met", "[[Javon Cheeks II]]", "follow up with Dr. [[Ward]] on", "avec le Dr [[du Plessis]] hier", "Dear Member, thank you", "seen by [[T. van der Merwe]] today",
		"Frau [[Schulz]] kam", "Mme [[Lefebvre]] est venue", "Sra. [[Ibáñez]] vino", "Sig. [[Rossi]] sta bene", "Dhr. [[Jansen]] kwam", "Mevr. [[Bakker]] kwam",
		"Patient name\n[[Maria]]\n[[Gonzalez]]",
	} {
		check(t, text, words.Subject{})
	}
}

// TestEponymsFromBothSides: the same word as a term and as somebody.
func TestEponymsFromBothSides(t *testing.T) {
	for _, text := range []string{
		"Mr [[Parkinson]] was seen", "Parkinson disease was seen", "[[Parkinson, James]]", "Dr. [[Bell]] was seen", "Bell's palsy",
		"Mrs. [[Foley]] has a Foley catheter", "Mr. [[Graves]] has Graves disease",
		"Kernig and Brudzinski signs negative", "Lewy body dementia, Barrett's esophagus, Zenker diverticulum, Mallory-Weiss tear",
		"Hickman line, Tenckhoff catheter, Sengstaken tube, Kirschner wire, Thomas splint, Penrose drain",
		"Bishop score 6, Ranson criteria, Wells score, Framingham risk, Barthel index, Katz ADL, Tanner stage 4",
	} {
		check(t, text, words.Subject{})
	}
}
