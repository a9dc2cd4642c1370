package detect

import (
	"testing"

	"blotter/internal/cell/inside/words"
)

// TestDates holds the spellings of days and months that no list of formats has, and what
// looks like one and stays.
func TestDates(t *testing.T) {
	for _, text := range []string{
		"Admitted [[12 - 15 March 2021]] with cellulitis", "treated [[Jan 3-7, 2020]] as inpatient", "out from [[03/12]]-[[03/15/2021]] only",
		"a polyp in [[3/61]] and one in [[03/61]] too", "born [[12.III.1957]] in good health", "result of [[0314/2019]] lost a stroke",
		"seen [[Tuesday the 14th]] in clinic", "again on [[the 14th]] at noon", "worse since [[spring of 1970]] in all", "well until [[mid-August]] of late",
		"on the [[third of May]] and [[May first]] he fell", "im [[März]] und en [[mars]] auch", "vom [[2.1.58]] bis[[12.03.1952]] da", "at [[1968/06/19]]08:15 sharp",
		"lab of [[Nov. 14, 2019]]: sodium", "signed by hand on the line\n[[07]]   [[Sep 2021]]",
		"FEV1 68% predicted and FEV1/FVC 0.66", "ratio 3/4, 5/5 strength, 2/6 murmur", "1/2 - 3/4 cup twice", "the 5th finger and the 2nd toe", "EF 55-60 %, 12 mm",
	} {
		check(t, text, words.Subject{})
	}
}

func TestAgesInWords(t *testing.T) {
	for _, text := range []string{
		"a [[nonagenarian]] and a [[centenarian]] alone", "in her [[nineties]] now", "une dame de [[quatre-vingt-douze ans]] seule", "eine [[zweiundneunzigjährige]] Frau",
		"this [[ninety-two-year-old]] man", "is a [[92]] [[-year-old]] man", "a ninety degree turn",
	} {
		check(t, text, words.Subject{})
	}
}

// TestCodesWithSpaces holds numbers that a hand or a machine wrote in groups.
func TestCodesWithSpaces(t *testing.T) {
	for _, text := range []string{
		"MRN [[K-48 316]]   CSN [[WC 47-491]]", "[[T08 386 179]]", "[[8321 1234 5678 9]]", "[[480 921]]", "chart [[K-48 306]] is",
		"Telephone: [[(384) 555-4088]] F: [[734 555 0417]]", "Acc: [[G20-23323]]   14:23",
		"HR 120   BP 118 76   RR 16", "platelets 250 000 per mm3",
	} {
		check(t, text, words.Subject{})
	}
}

func TestRoads(t *testing.T) {
	for _, text := range []string{
		"lives at [[7947 FM 68]] now", "at [[3211 County Road 4]] there", "at [[12 N. Highway 61]] there", "near [[68 bis boulevard de la République]] there",
		"[[Trier]], [[03.06.25]]", "[[RR2 Box4280]]", "[[RR 2, Box 4280]]", "[[P.O.BOX3931]]", "[[RR 2 B0X 4280]]", "[[Akron]], 0H [[44390]]", "at [[example. org/users/pritchard]] now", "see [[www. mychart. example. com/patient?id=80]] now", "from [[2001: db8: e1b2: f80c: : b12]] now", "at 10: 20: 30: 40: 50 sharp", "[[4417 Elm Street, Apt U]]", "[[12 Oak Ave Ste. X]]", "gave 500 US units and 12 FM radios",
	} {
		check(t, text, words.Subject{})
	}
}
