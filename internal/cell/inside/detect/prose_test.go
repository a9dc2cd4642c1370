package detect

import (
	"testing"

	"blotter/internal/cell/inside/words"
)

// Names of ordinary words, where the text around them tells; and what looks like them.
func TestNamesOfWordsInProse(t *testing.T) {
	for _, text := range []string{
		"I met my uncle, [[Ebony Cheeks]], at the clinic yesterday.",
		"Her uncle, [[Rashad Cheeks]] was given the instructions",
		"She is logged in as [[Rashad Cheeks]] since noon",
		"Spoke with [[Joy Fields]] regarding results.",
		"She was seen by [[Grace Park]] for follow up.",
		"Mr. [[Rivers]] said the pain is worse.",
		"[[Brooks]] denies chest pain or dyspnea.",
		"spoke with daughter [[sheila]] by phone",
		"pt's wife [[maria]] called this morning",
		"Nurse [[Day]] gave the dose",
		"[[Brown]], RN",
		"[[K. Long]] PA-C",
		"[[Day]], NP will follow",
		"[[P. Sok]] LPN [[29 Nov 2022]] 10:00",
		"Crew: [[Y. Jung]] EMT-P",
		"we were called to Doctor in 't [[Veld]] on call",
		"[[Grace Park]]\nAttending, Internal Medicine",
		"RE: [[Cheeks, Terrell]] DOB [[17MAR1942]]",
		"Office visit     [[D. Norton]]      Dermatology",
		"Office visit     [[R. Foster]]      Nephrology",
	} {
		check(t, text, words.Subject{})
	}
	for _, text := range []string{
		"His Moro, Galant and Babinski reflexes are normal",
		"he has hepatitis B. Foster care was arranged for the boy",
		"she spoke with them about the visual fields today",
		"the nurse drew labs and the mother rose to leave",
	} {
		check(t, text, words.Subject{})
	}
}

func TestTrailingInitials(t *testing.T) {
	for _, text := range []string{
		"Vitals stable, no distress [[/jm]]", "Reviewed with patient. [[-KT]]", "Specimen coll. [[BAH]]", "Collected by [[BAH]]",
		"he was not seen in clinic. -CT", "rate of 80 /hr", "alert and oriented w/o",
	} {
		check(t, text, words.Subject{})
	}
}

func TestLastDigits(t *testing.T) {
	for _, text := range []string{
		"Paid with card ending in [[4417]] today.", "the last four digits are [[4417]]", "last 4: [[4417]]", "card ending with [[4417]]",
		"Konto endet auf [[4417]]", "carte se terminant par [[4417]]", "tarjeta terminada en [[4417]]", "account ending [[4417]] was charged",
		"the last four doses were given", "the course ends with week 12",
	} {
		check(t, text, words.Subject{})
	}
}

func TestSpeltAddressesAndSentences(t *testing.T) {
	for _, text := range []string{
		"mail [[ada.k at clinic dot org]] for more", "we meet at clinic dot size unchanged", "The red mark at center dot was seen",
	} {
		check(t, text, words.Subject{})
	}
}

func TestAgesByBirthdays(t *testing.T) {
	for _, text := range []string{
		"a [[ninety-two-year-old]] woman", "celebrated her [[ninety-third]] birthday", "at the age of [[ninety-one]]", "a man of [[93]] years",
		"her [[95th]] birthday", "her third birthday", "a boy of 3 years",
	} {
		check(t, text, words.Subject{})
	}
}

func TestUnusualDates(t *testing.T) {
	for _, text := range []string{
		"seen on [[3/12/'21]]", "[[March third, twenty twenty-one]]", "[[Mon., June 3]]", "the visit of [[03·04·2021]]", "the visit of [[03–04–2021]]",
		"the visit of [[03_04_2021]]", "seen at [[Xmas]] last", "seen at [[Weihnachten]]", "range 4–12 and 3_4",
	} {
		check(t, text, words.Subject{})
	}
}

// What stands behind an address, and the captions of claim forms, are no part of values.
func TestCaptionsBesideValuesStay(t *testing.T) {
	for _, text := range []string{
		"[[860 W Main St, Durango CO 81318]] Telephone [[1-140-555-8418]] Fax [[(291)555-3893]]",
		"seen on [[December 13, 2020]] Advance directives were discussed",
		"call [[(576) 555-4353]] Home health nursing will visit",
		"25. FEDERAL TAX I.D. NUMBER   SSN EIN    26. PATIENT'S ACCOUNT NO.    27. ACCEPT ASSIGNMENT?",
		"50 PAYER NAME   51 HEALTH PLAN ID   52 REL. INFO   53 ASG. BEN.   54 PRIOR PAYMENTS   55 EST. AMOUNT DUE",
		"58 INSURED'S NAME     59 P. REL     60 INSURED'S UNIQUE ID     61 GROUP NAME     62 INSURANCE GROUP NO.",
		"Lab [[J. Najjar]] Cardiology [[12-Sep-2018]] Office visit [[D. Norton]] Dermatology",
		"Lab [[L. Bradford]] General Surgery\nOffice visit [[O. McCarthy]] Internal Medicine",
		"Pharmacy [[Copper Hills Memorial Hospital]] today",
		"CMS-1450 and CMS-1500 are forms",
		"Encounter [[RUB/72/5615]]",
		"THE PAIN DOES NOT RADIATE. RECORDS FROM [[PINE BLUFF MEDICAL GROUP]] SHOW NO CHANGE",
		"SENT BY FAX AT [[364.555.4279]] TODAY",
	} {
		check(t, text, words.Subject{})
	}
}
