package detect

import (
	"strings"
	"testing"

	"blotter/internal/cell/inside/words"
)

// TestCaptions holds that captions below the written line find their values, and that
// headings above labels are none.
func TestCaptions(t *testing.T) {
	for _, text := range []string{
		"[[Cage]]           [[Jamie]]          [[04/14/1995]]\nLast Name      First Name     Date of Birth",
		"[[Zpor]]           [[Qwyst]]          [[02/03/1950]]       26\nLast Name      First Name     Date of Birth    Age\n\n[[4 Old Forge]]         [[Zporville]]\nHome Address        City",
		"[[Qwyst Zpor]]\nPatient Name",
		"[[Zpor]], [[Qwyst]]\nPrinted name",
		"[[CHEEKS,]] [[EBONY]]\nPrinted name",
		"[[CHEEKS,]] [[EBONY]]\nLast Name, First Name",
		"Cheeks, pink\nPatient Name\n[[Qwyst Zpor]]",
		"Consent for Treatment\nPatient Name\n[[Qwyst Zpor]]", // labels above their values stay so
		"Informed Consent\nPatient Name: [[Qwyst Zpor]]",
		"Test            Result\nSodium          139\nName            Date",
		"Discharge Instructions      Follow up\nPatient Name                Date of Birth\n[[Qwyst Zpor]]                  [[02/03/1950]]",
	} {
		check(t, text, words.Subject{})
	}
}

// TestSpread holds that numbers in pieces are found, and that scales and tables are not.
func TestSpread(t *testing.T) {
	for _, text := range []string{
		"Call [[( 412 )    252   -   1214]] now",
		"[[(412 )252 -1214]]",
		"[[(212) 582·6600]]",
		"[[( 412 ) 252 - 1214]]",
		"[[04   /   17   /   1958]]      seen",
		"Date: [[04   /   17   /   1958]]",
		"[[123   -   45   -   6789]]",
		"SSN: [[123    -    45    -    6789]]",
		"Member ID  [[9   8   1   4   4   7   2]]",
		"[[9  8  1  4  4  7  2  6  5]]",
		"[[S   M   I   T   H]]",
		"Pain:  0  1  2  3  4  5  6  7  8  9",
		"120   /   80      98      72",
		"Y   N   Y   N   N",
		"A   B   C   D   E",
		"to % v.o.C.s",
		"Sample     3.07     1.07     .98",
		"Sample   127.00    9.00   21.00",
	} {
		check(t, text, words.Subject{})
	}
}

// TestLone holds what is found by its shape alone in its cell.
func TestLone(t *testing.T) {
	for _, text := range []string{
		"[[tan chay yee]]\n\nMotor spares",
		"[[de souza nguyen]]",
		"pain and swelling",
		"old fracture seen",
		"acetaminophen codeine",
		"[[12 Elm]]\n[[Bozeman, MT 59715]]",
		"[[4 The Old Forge]]\n[[Bozeman, MT 59715]]",
		"12 Tablets\nDaily",
		"[[35 WEST WACKER]]   [[212-294-8700]]",
		"4 South Ward",
		"3 North Telemetry",
		"[[200 Park Avenle]]",
		"[[310 Willow Bend Drive, Suite 4, Bozeman, MT 59715]]",
		"Phone [[(406) 555-0142]]   Fax [[(406) 555-0143]]\n[[310 Willow Bend Drive]]",
		"NO. [[343, Jalan Kurau]]",
	} {
		check(t, text, words.Subject{})
	}
}

// TestGlue holds that words without the space between them are seen as words, and codes
// as one.
func TestGlue(t *testing.T) {
	for _, text := range []string{
		"[[310WillowBend Drive, Suite4, Bozeman, MT59715]]",
		"[[12ElmStreet]]\n[[Bozeman,MT59715]]",
		"seen by [[JohnSmith]] today",
		"[[McAllister]], Mr. [[LaToya]]",
		"CovidTest positive, VitaminD3 taken, Metformin500 given",
		"HbA1c 5.6, SpO2 98, T2DM, pH 7.4",
	} {
		check(t, text, words.Subject{})
	}
	for word, want := range map[string]string{
		"310WillowBend": "310|Willow|Bend", "MT59715": "MT|59715", "McAllister": "McAllister", "HbA1c": "HbA1c", "Apri1": "Apri1",
		"SRMC7741920": "SRMC7741920", "12Mar2020": "12|Mar|2020", "12MAR2020": "12MAR2020", "Äpfel7": "Äpfel|7",
		"onSeptember": "on|September", "withDr": "with|Dr", "on05": "on|05", "1943and": "1943|and", "42ndPkwy": "42nd|Pkwy",
		"HunterR": "Hunter|R", "42nd": "42nd", "q4h": "q4h", "pH7": "pH7", "DOB04": "DOB|04", "mRNA": "mRNA",
	} {
		var parts []string
		for _, p := range cut(word) {
			parts = append(parts, p.text)
			if string([]rune(word)[p.a:p.b]) != p.text {
				t.Errorf("%s: part %q at runes %d–%d", word, p.text, p.a, p.b)
			}
		}
		if got := strings.Join(parts, "|"); got != want {
			t.Errorf("%s cut into %s, want %s", word, got, want)
		}
	}
}

// TestKept holds what must stay beside what goes.
func TestKept(t *testing.T) {
	for _, text := range []string{
		"Emergency contact: [[Walter Ellison]], husband, [[(406) 555-0187]]",
		"Insurance: [[Prairie Shield]], member [[PSH 884 210 557]]",
		"Institution Name: [[Ball, Hendrix and Johnson Community Clinic]]",
		"Signed: [[John Smith]] M.D.",
		"[[John Smith]], Ph.D.",
		"PCP Name: [[MATEO JACKSON]], PhD",
		"Signature of RPh: [[Qwyst Zpor]], RPh",
		"Insurance: [[Zporia]], Member ID [[SHP-66201845]]",
		"Bill To\nBILL 1856 due",
		"FROM     THROUGH",
		"Site (circle)      Lot\nR / L  Deltoid     Expired\nR / L  Thigh",
		"Facility           Dose\n[[Mercy Clinic]]       5 mg",
		"RE: [[Qwyst Zpor]], DOB [[01/02/1950]], MRN [[48392]]",
		"cc: [[Qwyst Zpor]], PharmD",
		"City\nDo you smoke?",
		"Thyroglobulin   8.2   1.5 - 38.5   ng/mL",
		"[[42 Maple St, Cedar Rapids, LA 42115]]",
		"Verified by [[H. Long]] at noon",
		"Approved by:\nDirector of Technical Operations",
		"Primary Care Provider Name:      Vaccine requested:",
		"Last digits ofSSN: [[1214]]",
		"Ceruloplasmin      28 mg/dL",
		"Started on Zporvastatin and Qwystomycin.",
	} {
		check(t, text, words.Subject{})
	}
}
