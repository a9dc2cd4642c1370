package detect

import (
	"slices"
	"strings"

	"blotter/internal/document"
)

// Dates and ages by their looks. A year alone may stay, and so may a time of day.

const (
	weekdayName = `(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?`
	monthLong   = `january|february|march|april|may|june|july|august|september|october|november|december`
	// monthAbroad are months that stand alone behind a word such as "im", "en" or "em".
	monthAbroad = `januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|janvier|f[ée]vrier|mars|avril|juin|juillet|ao[uû]t|septembre|octobre|novembre|d[ée]cembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|januari|februari|maart|mei|augustus|janeiro|fevereiro|mar[çc]o|maio|junho|julho|setembro|outubro|novembro|dezembro`
	monthRoman  = `(?:I{1,3}|I[VX]|VI{0,3}|XI{0,2})`
	ordinalWord = `(?:(?:twenty|thirty)[ \-])?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|thirtieth)`
	yearWords   = `(?:(?:nineteen|twenty)[ \-](?:hundred|ten|eleven|twelve|[a-z]{3,5}teen|(?:oh|[a-z]{3,6}ty)(?:[ \-](?:one|two|three|four|five|six|seven|eight|nine))?)|two thousand(?: and)?(?: (?:[a-z]{3,6}ty[ \-])?[a-z]{3,9})?)`
	season      = `(?:spring|summer|autumn|winter)`
	// day and mon are numbers written by a hand or a machine, not by a bad reader.
	day       = `(?:0?[1-9]|[12][0-9]|3[01])`
	mon       = `(?:0?[1-9]|1[0-2])`
	till      = ` ?(?:[\-–&,]|to|through|thru|and|bis|au|al|t/m) ?`
	monthName = `(?:jan(?:uar[yi]?|v(?:ier)?|eiro)?|ene(?:ro)?|febbraio|feb(?:r(?:uar[yi]?|ero|aio))?|f[ée]v(?:r(?:ier)?)?|fevereiro|mar(?:ch|s|zo|t|[çc]o)?|m[äa]e?rz|mrz|mrt|maart|apr(?:ile?)?|avr(?:il)?|abr(?:il)?|maggio|mayo|maio|ma[yij]|mei|junio|junho|juin|giugno|jun[ei]?|julio|julho|juil(?:let)?|luglio|jul[yi]?|aug(?:ust(?:us)?)?|ao[uû]t|ago(?:sto)?|sept?(?:em(?:ber|bre|bro))?|settembre|setembro|septiembre|o[ck]t(?:ober|obre|ubre)?|ottobre|outubro|nov(?:em(?:ber|bre|bro))?|noviembre|de[cz](?:ember|embre|embro)?|d[ée]c(?:embre)?|dic(?:iembre|embre)?)\.?`
	yearLong  = `(?:1[89]|20)` + d + `{2}`
)

// datePatterns find days and months in the spellings of seven languages.
var datePatterns = []pattern{
	// Day, month and year in digits, in every order.
	compile(document.Date, 0.9, digitsAnd(3, leadParts), `(?:^|[^0-9A-Za-z.])(`+d+`{1,2}`+sep+d+`{1,2}`+sep+`(?:`+d+`{4}|['’]?`+d+`{2}))(?:$|[^0-9A-Za-z%])`, isDate),
	compile(document.Date, 0.9, need{4, 2, leadParts}, `[A-Za-z]{2}\.([0-9]{1,2}[/.\-][0-9]{1,2}[/.\-](?:(?:19|20)[0-9]{2}|[0-9]{2}))(?:$|[^0-9A-Za-z%])`, isDate), // "geb.16.11.57"
	compile(document.Date, 0.9, need{8, 3, leadParts}, `(?:^|[^0-9A-Za-z.])([0-9]{1,2}[/.\-][0-9]{1,2}[/.\-](?:19|20)[0-9]{2})[0-9]{1,2}:[0-9]{2}`, isDate),        // its time glued to it
	compile(document.Date, 0.9, need{8, 3, leadParts}, `(?:^|[^0-9A-Za-z.])((?:19|20)[0-9]{2}[/.\-][0-9]{2}[/.\-][0-9]{2})[0-9]{1,2}:[0-9]{2}`, isDate),
	compile(document.Date, 0.85, digitsAnd(6, leadParts), `[A-Za-z]([0-9]{1,2}[/.\-][0-9]{1,2}[/.\-](?:19|20)[0-9]{2})(?:$|[^0-9A-Za-z%])`, isDate), // "bis12.03.1952"
	compile(document.Date, 0.9, digitsAnd(3, leadParts), `(?:^|[^0-9A-Za-z])(`+d+`{4}`+sep+d+`{1,2}`+sep+d+`{1,2})(?:$|[^0-9A-Za-z]|T[0-9])`, isDate),
	compile(document.Date, 0.75, digits(8), `(?:^|[^0-9A-Za-z.,/-])(`+day+` (?:0[1-9]|[12][0-9]|3[01]) (?:19|20)[0-9]{2})(?:$|[^0-9A-Za-z.,/-])`, isSpacedDate),
	compile(document.Date, 0.8, digits(6), `\b((?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01]))(?:[0-9]{4,6})?\b`, nil),
	compile(document.Date, 0.7, digits(6), `(?:^|[^0-9A-Za-z.,])([0-9]{1,2},[0-9]{1,2},(?:19|20)[0-9]{2})(?:$|[^0-9A-Za-z.,])`, isDate).having(`,`),
	compile(document.Date, 0.8, digitsAnd(8, leadParts), `(?:^|[^0-9A-Za-z.,/\-])((?:0[1-9]|[12][0-9]|3[01])(?:[/.\-](?:0[1-9]|[12][0-9]|3[01])|(?:0[1-9]|[12][0-9]|3[01])[/.\-])(?:19|20)[0-9]{2})(?:$|[^0-9A-Za-z.,/\-])`, nil), // one stroke lost: "0314/2019"
	compile(document.Date, 0.8, digitsAnd(3, leadRoman), `(?:^|[^0-9A-Za-z.])(`+day+`[. /\-]{1,2}`+monthRoman+`[. /\-]{1,2}(?:(?:19|20)[0-9]{2}|[0-9]{2}))(?:$|[^0-9A-Za-z.])`, nil),

	// Day and month in digits, where something tells them from a fraction.
	compile(document.Date, 0.7, digitsAnd(2, leadDay|leadParts), `(?i)\b(`+weekdayName+`,? `+mon+`/`+day+`)(?:$|[^0-9/%\-])`, nil),
	compile(document.Date, 0.6, digitsAnd(2, leadBefore|leadParts), `(?i)\b(?:on|seen|since|until|till|by|dated|before|after|from|to|through|thru|due|collected|admitted|discharged|visit|starting|began|surgery|last|again|for|of|and|date:?|drawn|obtained|performed|done|repeated|appt|appointment|labs|vitals),? (`+mon+`[/\-]`+day+`)(?:$|[^0-9/%\-])`, nil).having(`/-`),
	compile(document.Date, 0.7, need{2, 2, leadBefore | leadParts}, `(?i)\b(?:am|den|vom|bis|seit|zum|ab) (`+day+`\. ?`+mon+`\.)`, nil),
	compile(document.Date, 0.65, digitsAnd(4, leadParts), `(?:^|[^0-9A-Za-z.,/\-])(`+mon+`/`+day+` ?(?:[\-–]|to|through|thru|until) ?`+mon+`/`+day+`(?:/(?:[0-9]{4}|[0-9]{2}))?)(?:$|[^0-9A-Za-z/%])`, isDayRange).having(`/`),

	// Month and year in digits.
	compile(document.Date, 0.8, need{5, 1, leadParts}, `(?:^|[^0-9A-Za-z/])(`+mon+`/(?:19|20)[0-9]{2})(?:$|[^0-9A-Za-z/])`, nil).having(`/`),
	compile(document.Date, 0.65, digitsAnd(6, leadParts), `(?:^|[^0-9A-Za-z.,/\-])((?:0[1-9]|1[0-2])[.\-](?:19|20)[0-9]{2}|(?:19|20)[0-9]{2}-(?:0[1-9]|1[0-2]))(?:$|[^0-9A-Za-z./\-]|\.$)`, nil),
	compile(document.Date, 0.65, need{4, 1, leadParts}, `(?:^|[^0-9A-Za-z.,/\-])((?:0[1-9]|1[0-2])/(?:3[2-9]|[4-9][0-9]))(?:$|[^0-9A-Za-z./\-]|\.$)`, nil).having(`/`),
	compile(document.Date, 0.6, need{3, 1, leadBefore | leadParts}, `(?i)\b(?:in|since|surgery|from|until|till|born|after|before|early|late),? (`+mon+`/[0-9]{2})(?:$|[^0-9A-Za-z./\-]|\.$)`, nil).having(`/`),

	// Months by their names.
	compile(document.Date, 0.9, need{lead: leadMonth}, `(?i)\b((?:`+weekdayName+`[.,]{0,2} )?`+monthName+`[ ,.\-]{0,2}(?:the )?`+d+`{1,2}(?:st|nd|rd|th)?(?:[ ,.\-]{1,3}(?:of )?(?:'?[0-9]{2}\b|`+yearLong+`)|`+yearLong+`)?)(?:$|[^0-9A-Za-z:%]|:\D|:$)`, isMonthAndDay),
	compile(document.Date, 0.9, need{lead: leadMonth}, `(?i)\b((?:`+weekdayName+`[.,]{0,2} )?`+d+`{1,2}(?:st|nd|rd|th|er|\.|º|°)?[ \-./]{0,2}(?:of |de |day of )?`+monthName+`(?:[ \-,./']{0,2}(?:de |del |of )?(?:`+yearLong+`|'?[0-9]{2}\b))?)`, dayAndMonth),
	compile(document.Date, 0.9, digitsAnd(2, leadMonth), `(?i)\b(`+monthName+` `+day+`(?:st|nd|rd|th)?(?:`+till+`(?:`+monthName+` )?`+day+`(?:st|nd|rd|th)?){1,4}(?:,? (?:19|20)[0-9]{2})?)(?:$|[^0-9A-Za-z/:])`, nil),
	compile(document.Date, 0.9, digitsAnd(2, leadMonth), `(?i)(?:^|[^0-9A-Za-z/.\-])(`+day+`(?:st|nd|rd|th|\.)?(?:`+till+day+`(?:st|nd|rd|th|\.)?){1,4} (?:of |de )?`+monthName+`(?: (?:de )?(?:19|20)[0-9]{2})?)\b`, nil),
	compile(document.Date, 0.85, need{lead: leadMonth}, `(?i)\b(`+monthName+`[ ,\-/]{1,2}(?:of |de |del )?'?(?:`+yearLong+`|[0-9]{2}))(?:$|[^0-9A-Za-z%])`, hasTrueDigit),
	compile(document.Date, 0.85, need{lead: leadMonth}, `(?i)\b((?:19|20)[0-9]{2}[ \-/.]?`+monthName+`[ \-/.]?[0-9]{1,2})\b`, nil),
	compile(document.Date, 0.75, need{lead: leadMonth | leadOrdinal}, `(?i)\b(`+ordinalWord+` (?:day )?of (?:`+monthLong+`)(?:,? (?:19|20)[0-9]{2})?|(?:`+monthLong+`) (?:the )?`+ordinalWord+`(?:,? (?:19|20)[0-9]{2})?)\b`, nil),
	compile(document.Date, 0.8, need{lead: leadMonth | leadOrdinal}, `(?i)\b((?:(?:the )?`+ordinalWord+` (?:day )?of (?:`+monthLong+`)|(?:`+monthLong+`) (?:the )?`+ordinalWord+`),? `+yearWords+`)\b`, nil),
	compile(document.Date, 0.6, need{lead: leadMonth}, `(?i)\b(?:in|since|until|till|by|last|next|this|early|late|mid|through|from|of|during|end of|beginning of) ?-?(`+monthLong+`)\b`, nil),
	compile(document.Date, 0.6, need{lead: leadMonth | leadBefore}, `(?i)\b(?:im|seit|anfang|mitte|ende|bis|en|depuis|d[ée]but|fin|mois de|desde|hasta|principios de|finales de|mes de|a|nel|da|fino a|in|sinds|begin|eind|em|desde|at[ée]|m[êe]s de) (`+monthAbroad+`)\b`, nil),

	// Days of the week, of the year and of the month.
	compile(document.Date, 0.6, need{lead: leadDay}, `(?i)\b((?:christmas|thanksgiving|easter|labor day|memorial day|new year'?s|independence day|halloween|hanukkah|ramadan|passover|mother's day|father's day|valentine'?s day|xmas|juneteenth|diwali|yom kippur|rosh hashanah|kwanzaa|boxing day|groundhog day|veterans'? day|columbus day|presidents'? day|weihnachten|heiligabend|oster(?:n|montag|sonntag)|pfingsten|silvester|no[ëe]l|p[âa]ques|navidad|nochebuena|natale|pasqua|ferragosto|p[áa]scoa|carnaval|kerst(?:mis)?|pasen|pinksteren|st\.? patrick's day|fourth of july|4th of july)(?: day| eve)?)\b`, nil),
	compile(document.Date, 0.55, need{lead: leadDay}, `(?i)\b((?:mon|tues|wednes|thurs|fri|satur|sun)days?|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bado|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag|luned[ìi]|marted[ìi]|mercoled[ìi]|gioved[ìi]|venerd[ìi])\b`, nil),
	compile(document.Date, 0.7, digitsAnd(1, leadDay), `(?i)\b(`+weekdayName+`,? (?:the )?`+day+`(?:st|nd|rd|th))\b`, nil),
	compile(document.Date, 0.55, digitsAnd(1, leadBefore), `(?i)\b(?:on|since|until|till|by|from|before|after) (the `+day+`(?:st|nd|rd|th))(?:$|[.,;)]| (?:at|in|and|for|with|she|he|they|we|by|to|of this|of last|of the month)\b)`, nil),
	compile(document.Date, 0.6, need{lead: leadSeason}, `(?i)\b((?:early |late |mid-?|last |this |next |the )?(?:`+season+`|fall) (?:of )?(?:19|20)[0-9]{2}|(?:last|this|next|early|late|in the|since the|since last) `+season+`)\b`, nil),
}

const (
	nineties = `ninety|noventa|novanta|nonante|quatre[ \-]vingt[ \-](?:dix|onze|douze|treize|quatorze|quinze|seize)|(?:ein|zwei|drei|vier|f[üu]nf|sechs|sieben|acht|neun)?(?:und)?neunzig|negentig`
	oneToTen = `one|two|three|four|five|six|seven|eight|nine|ten`
)

// agePatterns find ages over 89; younger ones may stay.
var agePatterns = []pattern{
	compile(document.Age, 0.9, digits(2), `(?i)\b((?:0?9[0-9]|1[01][0-9]|12[0-5]) ?-?(?:y\.?/?o\b|yrs?\b|years?[ \-]old|year[ \-]old|years? of age|y\b|jährige|jarige|jahre|jaar|ans\b|a[ñn]os|anni|anos\b|f\b|m\b))`, nil),
	compile(document.Age, 0.9, digitsAndDots(2, 1), `(?i)\b[mf] ?/ ?(9[0-9]|1[01][0-9])\b`, nil),
	compile(document.Age, 0.9, digitsAnd(2, leadAged), `(?i)\b(?:age|age of|aged|alter|alter von|edad|edad de|âge|âge de|turned|turning)[: ]{1,2}((?:9[0-9]|1[01][0-9]|12[0-5]))\b`, nil),
	compile(document.Age, 0.9, need{lead: leadAge}, `(?i)\b((?:ninety|one hundred|a hundred|hundred)(?:[ \-](?:and )?(?:`+oneToTen+`))?[ \-]years?(?:[ \-]old)?)\b`, nil),
	compile(document.Age, 0.8, need{lead: leadAge}, `(?i)\b(?:age|age of|aged|is|turned|turning|was) ((?:`+nineties+`)(?:[ \-](?:`+oneToTen+`))?)\b`, nil),
	compile(document.Age, 0.8, need{lead: leadAge}, `(?i)\b((?:`+nineties+`)(?: y [a-z]+)?(?:[ \-]?(?:jährige[rnsm]?|jahre|ans|a[ñn]os|anni|jaar))?)\b`, isLongAge),
	compile(document.Age, 0.9, need{lead: leadAge}, `(?i)\b((?:ninety|(?:one |a )?hundred(?: and)?)[ \-](?:`+ordinalWord+`)|ninetieth|(?:one )?hundredth)[ \-]birthday\b`, nil),
	compile(document.Age, 0.9, digitsAnd(2, leadAged), `(?i)\b((?:9[0-9]|1[01][0-9])(?:st|nd|rd|th)) birthday\b`, nil),
	compile(document.Age, 0.9, digitsAnd(2, leadAged), `(?i)\b(?:man|woman|male|female|lady|gentleman) of (9[0-9]|1[01][0-9])(?: years)?(?:$|[^0-9A-Za-z./%])`, nil),
	compile(document.Age, 0.8, need{lead: leadAge}, `(?i)\b((?:super)?(?:nona|cente)(?:ge)?narians?)\b`, nil),
	compile(document.Age, 0.7, need{lead: leadAge}, `(?i)\b(?:his|her|their|the) (?:early |mid |late |mid-)?(nineties)\b`, nil),
	compile(document.Age, 0.7, digitsAnd(2, leadAged), `(?i)\b(?:his|her|their) (?:early |mid |late |mid-)?(9[0-9]['’]?s)\b`, nil),
}

// isMonthAndDay refuses the spirometry's "FEV1", which is no first of February.
func isMonthAndDay(s string) bool {
	return hasTrueDigit(s) && !strings.HasPrefix(strings.ToUpper(s), "FEV1")
}

// isDayRange tells "3/12 - 3/15" from a range of fractions: a day that no fraction has for
// its denominator, or numbers written with their zeros.
func isDayRange(s string) bool {
	n := numbers(s)
	for i := 1; i < len(n) && i < 4; i += 2 {
		if n[i] > 4 && n[i] != 6 && n[i] != 8 && n[i] != 10 {
			return true
		}
	}
	return strings.HasPrefix(s, "0") || len(n) > 4
}

// isLongAge wants more than a number: "noventa años".
func isLongAge(s string) bool {
	s = strings.ToLower(s)
	return slices.ContainsFunc([]string{"jähr", "jahr", " ans", "-ans", "años", "anos", "anni", "jaar"}, func(unit string) bool { return strings.Contains(s, unit) })
}
