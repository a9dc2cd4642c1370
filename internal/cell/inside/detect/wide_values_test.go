package detect

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode"
)

// wideValues fills the slots of testdata/wide.txt. Names, places and the forms of numbers
// and dates are dealt to two halves in turn, so that what is tuned on one half says
// nothing of the other's.
type wideValues struct {
	values
	half int
}

func newWideValues(lists map[string][]string, half int, seed uint64) wideValues {
	mine := map[string][]string{}
	for name, all := range lists {
		for i, s := range all {
			if i%2 == half {
				mine[name] = append(mine[name], s)
			}
		}
	}
	return wideValues{values{rand.New(rand.NewPCG(seed, uint64(half))), mine}, half}
}

// one picks a form of this half and fills it in.
func (v wideValues) one(forms ...string) string {
	n := (len(forms) + 1 - v.half) / 2
	return v.form(forms[2*v.IntN(n)+v.half])
}

func (v wideValues) first() string { return v.from("given") }
func (v wideValues) last() string  { return v.from("surname") }

// name is a name in running text; Name is how forms and lists write one.
func (v wideValues) name() string {
	g, s, i := v.first(), v.last(), v.form("@")
	return v.pick(g+" "+s, g+" "+i+". "+s, i+". "+s, g+" "+s, g+" "+s+v.pick(" Jr.", " III", "-"+v.last(), ""), g+" "+v.pick("van der", "de la", "al", "St.")+" "+s)
}

func (v wideValues) formName() string {
	g, s, i := v.first(), v.last(), v.form("@")
	return v.pick(v.name(), s+", "+g, s+", "+g+" "+i, strings.ToUpper(s+", "+g), strings.ToUpper(g+" "+i+" "+s), strings.ToLower(g+" "+s), g+" "+v.first()+" "+s, s+" "+g)
}

// wideDate writes a full date in any spelling.
func (v wideValues) wideDate() string {
	y, m, d := 1925+v.IntN(100), 1+v.IntN(12), 1+v.IntN(28)
	long := strings.Fields("January February March April May June July August September October November December")[m-1]
	short, yy := long[:3], y%100
	return v.one(fmt.Sprintf("%02d/%02d/%d", m, d, y), fmt.Sprintf("%d/%d/%d", m, d, y), fmt.Sprintf("%d %s %d", d, short, y), fmt.Sprintf("%02d %s %d", d, long, y),
		fmt.Sprintf("%02d-%s-%02d", d, strings.ToUpper(short), yy), fmt.Sprintf("%02d-%s-%d", d, short, y), fmt.Sprintf("%d.%02d.%02d", y, m, d), fmt.Sprintf("%02d.%02d.%d", d, m, y),
		fmt.Sprintf("%s %d, %d", long, d, y), fmt.Sprintf("%s. %d, %d", short, d, y), fmt.Sprintf("%02d/%02d/%02d", m, d, yy), fmt.Sprintf("%02d-%02d-%02d", m, d, yy),
		fmt.Sprintf("%d/%02d/%02d", y, m, d), fmt.Sprintf("%d-%02d-%02d", y, m, d), fmt.Sprintf("%02d%s%d", d, strings.ToUpper(short), y), fmt.Sprintf("%02d%s%02d", d, short, yy),
		fmt.Sprintf("%s %dth %d", long, 4+v.IntN(16), y), fmt.Sprintf("the %dth of %s %d", 4+v.IntN(16), long, y), fmt.Sprintf("%d %s %02d", d, strings.ToUpper(short), yy), fmt.Sprintf("%02d/%s/%d", d, short, y),
		fmt.Sprintf("%s-%02d-%d", short, d, y), fmt.Sprintf("%d-%s-%02d", y, short, d), fmt.Sprintf("%02d %02d %d", m, d, y), fmt.Sprintf("%02d . %02d . %d", d, m, y))
}

// shortDate lacks a year, or a day.
func (v wideValues) shortDate() string {
	y, m, d := 1990+v.IntN(35), 1+v.IntN(12), 1+v.IntN(28)
	long := strings.Fields("January February March April May June July August September October November December")[m-1]
	return v.one(fmt.Sprintf("%s %d", long, y), fmt.Sprintf("%d/%d", m, y), fmt.Sprintf("%s %d", long, d), fmt.Sprintf("%d %s", d, long[:3]), fmt.Sprintf("early [[%s]]", long), fmt.Sprintf("mid-%s", long),
		fmt.Sprintf("%02d/%02d", m, d), fmt.Sprintf("%s '%02d", long[:3], y%100), fmt.Sprintf("%s of %d", long, y), fmt.Sprintf("the end of [[%s]]", long), fmt.Sprintf("%s %dth", long, 4+v.IntN(16)), fmt.Sprintf("%s %dth", long[:3], 4+v.IntN(16)),
		fmt.Sprintf("%s-%02d", long[:3], y%100), fmt.Sprintf("%s/%d", long[:3], y))
}

func (v wideValues) wideAge() string {
	n := 90 + v.IntN(13)
	return v.one(fmt.Sprintf("%d-year-old", n), fmt.Sprintf("[[%d]] year old", n), fmt.Sprintf("[[%d]] y/o", n), fmt.Sprintf("[[%dyo]]", n),
		fmt.Sprintf("[[%d]] yrs old", n), fmt.Sprintf("[[%d]] y.o.", n), "ninety-two-year-old", "[[ninety-four]] year old", fmt.Sprintf("[[%d]] years old", n), fmt.Sprintf("[[%dyr]] old", n))
}

func (v wideValues) widePhone() string {
	return v.one("(4##) 555-01##", "4##-555-01##", "4##.555.01##", "(4##)555-01##", "+1 4## 555 01##", "1-8##-555-01##", "4## 555 01##", "4##5550###",
		"+44 20 7946 0###", "020 7946 0###", "07700 900###", "(01423) 555 0##", "4##/555-01##", "+1-4##-555-01##", "(4##) 555-01## x2##", "4##-555-01## ext. 4##",
		"+91 98### 4####", "+61 2 5550 1###", "(4##) 555 - 01##", "(4##)-555-01##", "0044 1423 5550##", "001 4## 555 01##")
}

func (v wideValues) street() string {
	return v.one("##", "1###", "4##", "2##B", "1#-3", "###") + " " + v.from("street") + " " + v.from("suffix")
}

func (v wideValues) address() string {
	st, city, state := v.street(), v.from("city"), v.pick("NY", "AZ", "TX", "OR", "WV", "MN")
	free := func(s string) string { // the state may stay
		head, tail, _ := strings.Cut(s, " "+state+" ")
		if tail == "" {
			return s
		}
		return "[[" + strings.TrimSuffix(head, ",") + "]]" + s[len(strings.TrimSuffix(head, ",")):len(s)-len(tail)] + "[[" + tail + "]]"
	}
	return free(v.one(st+", "+city+", "+state+" 4####", st+", "+city+" "+state+" 4####-####", "PO Box 4##, "+city+", "+state+" 1####", "P.O. Box 1##, "+city+", "+state+" 4####",
		st+" Apt 4C, "+city+", "+state+" 0####", st+", #2##, "+city+", "+state+" 7####", "RR 2 Box 11#, "+city+", "+state+" 4####", "N6### County Road F, "+city+", "+state+" 5####",
		"14 Beech Close, Harrogate HG1 4QT", "Flat 3, 22 Marlowe Road, Leeds LS6 2AB", "PSC 12## Box 56##, APO AE 09###", "The Old Rectory, Church Lane, Skipton BD23 1QE"))
}

// Foreign values, by slot; a form is dealt to a half like the others.
var foreignForms = map[string][]string{
	"deaddr":   {"Lindenstraße 14, 70174 Stuttgart", "Am Mühlbach 3a, 86150 Augsburg", "Bgm.-Smidt-Str. 45, 28195 Bremen", "Kirchplatz 2, D-97070 Würzburg", "Unter den Eichen 87, 12205 Berlin", "Hinterm Dorf 9, 79312 Emmendingen"},
	"destreet": {"Ringstr. 5", "Zum Sportplatz 11", "Goethestraße 118 b", "Alte Gasse 7"}, "deort": {"86150 Augsburg", "28195 Bremen", "97070 Würzburg", "79312 Emmendingen"},
	"dephone": {"0711 4#### -0", "(0821) 4###-12#", "+49 (0)421 55####", "0931/20####", "0171 5######", "030 / 45 50 - 0"}, "defax": {"0711 4####-99", "(0821) 4###-199", "0931/20####", "030 45 50 199"},
	"klinik": {"Klinikum St. Elisabeth Augsburg", "Universitätsklinikum Würzburg", "Kreiskrankenhaus Emmendingen", "Robert-Koch-Krankenhaus Bremen"}, "kvnr": {"A12#45#789", "T0########"},
	"dedate": {"12.03.19##", "3.12.20##", "2#.05.19##", "07.09.200#", "1#.11.5#", "04/06/195#"}, "licence:bsnr": {"74#######", "53#######"}, "licence:lanr": {"98#####01", "12#####99"},
	"fraddr": {"12 rue des Lilas, 69003 Lyon", "4 bis avenue Foch, 33000 Bordeaux", "Résidence Les Pins, bât. B, 13008 Marseille", "lieu-dit Le Moulin, 24200 Sarlat", "27, chemin de la Croix, 38000 Grenoble", "3 place du Marché, 67000 Strasbourg"},
	"frorg":  {"CHU de Bordeaux", "Hôpital Saint-Antoine", "Clinique du Parc", "Centre Hospitalier de Vichy"}, "frphone": {"01 4# ## ## ##", "05.56.##.##.##", "+33 6 1# ## ## ##", "04-78-##-##-##"},
	"frcity": {"Bordeaux", "Grenoble"}, "frdate": {"12 mars 20##", "1er juin 20##", "3 déc. 20##", "28 février 20##"}, "nir": {"2 61 05 75 ### ### 0#", "1 8# 07 33 063 ### ##", "26105751#####", "1 54 12 2A 004 ### ##"},
	"esaddr":  {"C/ Mayor, 15, 3º B, 28013 Madrid", "Avda. de la Paz 22, 41004 Sevilla", "Plaza España s/n, 50001 Zaragoza", "Camino Real nº 8, 18001 Granada"},
	"esphone": {"91 2## ## ##", "6## ### ###", "+34 6## ## ## ##", "95#-##-##-##"}, "esorg": {"Hospital Clínico San Carlos", "Hospital Virgen del Rocío", "Centro de Salud Las Fuentes", "Clínica Quirón"},
	"dni": {"########K", "##.###.###-J", "########-T", "X#######L"}, "esdate": {"3 de mayo de 20##", "12 de enero", "1 de octubre del 20##", "28-nov-20##"}, "licence:col": {"28/28#####", "41###9"},
	"esstreet": {"Calle del Pez 4, 2º", "Av. Libertad 130", "Paseo de Gracia 55", "Ronda Sur, 12"}, "esciudad": {"Madrid / 28013", "Sevilla / 41004", "Zaragoza / 50001", "Granada / 18001"},
	"itplace": {"Santa Maria di Terni", "San Giovanni"}, "itcity": {"Terni", "Avellino"}, "cf": {"RSSMRA85T10A562S", "VRDLGI48B14F205X"}, "itaddr": {"via Garibaldi 12, 05100 Terni", "viale Europa 3, 83100 Avellino"},
	"itdate": {"12 aprile 20##", "3 giugno 20##"}, "itphone": {"0744 20####", "+39 333 4######"},
	"nladdr": {"Prinsengracht 263, 1016 GV Amsterdam", "Dorpsstraat 12a, 3732 HJ De Bilt"}, "nlphone": {"06-1#######", "020-4######"}, "nldate": {"3 mei 20##", "12 oktober 20##"}, "nlcity": {"Hilversum", "De Bilt"}, "bsn": {"1########", "23#######"},
	"utente": {"3########", "2## ### ###"}, "ptaddr": {"Rua das Flores 20, 4050-262 Porto", "Av. da Liberdade, 110, 3.º Esq., 1250-096 Lisboa"}, "ptphone": {"91# ### ###", "+351 21 4## ## ##"}, "cpf": {"###.###.###-##", "#########-##"}, "ptdate": {"12 de março de 20##", "3 de setembro"},
}

// numberForms are numbers of all kinds, by slot.
var numberForms = map[string][]string{
	"ssn": {"###-##-####", "### ## ####", "XXX-XX-####", "***-**-####"}, "ssn4": {"####", "xxx-xx-####"}, "ssn:nhs": {"943 476 5919", "401 023 2137"}, "tin": {"12-#######", "45-#######"},
	"mrn":    {"E#######", "00-48-3#", "48######-3", "MR 004##", "4######", "H000######", "K-48 3##", "0048.3##.01", "QX7L2M", "2024/004##", "48# 92#", "MRN00#####", "#####-A", "P4B99K7"},
	"member": {"XWV1234#####", "W12 3## 678 01", "H1234-###", "YRP8##A77301", "#### 1234 5678 9", "2234-55-0#", "JQU####M56##", "9########02", "ABC 8## 22 ####", "U4#######  01"},
	"group":  {"0012####", "G-48##", "71####-010", "GRP 4481#"}, "mbi": {"1EG4-TE5-MK73", "2AC9DE4FG75", "4HN7-YK2-PX06", "9XV0 UA8 KJ14"},
	"account": {"4471-0092-#1", "00412 77##", "V000######", "88#####.2"}, "card": {"4### #### #### ####", "XXXX XXXX XXXX 4###"}, "iban": {"DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819"},
	"npi": {"1#########", "14########"}, "dea": {"B@#######", "FA#######"}, "licence": {"G 88###", "ME00#####", "PT-448##", "A-12###"}, "licence:gmc": {"4######", "7######"}, "licence:clia": {"33D#######", "05D#######"},
	"licence:dl": {"D###-####-####", "N########", "T## ### ###", "S530-4###-6###"}, "licence:pass": {"C0#######", "5########"}, "vehicle:vin": {"1HGCM82633A0#####", "WVWZZZ1JZ3W3#####"},
	"vehicle:plate": {"7ABC###", "B-MW 12##", "AB12 CDE", "KLR-4###"}, "device:sn": {"RNA######H", "4471A00#B", "PJN6#####S", "00#####"}, "device:lot": {"22K110#", "A213B#", "LT-0#4#", "8####Q"},
	"device:model": {"W1DR01", "L331"}, "device:ref": {"8637-4#", "71420###"}, "device:udi": {"(01)00643169007###(17)240312(21)RNA######H", "+B123#######A1/$$7#######"},
	"ip": {"10.14.2.8#", "192.168.1.##", "fe80::1ff:fe23:45##:890a", "172.16.##.9"}, "mac": {"00:1B:44:11:3A:B#", "00-1b-44-11-3a-b#"},
	"url":     {"www.bluehorizon.org/m/12##", "https://portal.lakeside.com/v?id=88##", "mychart.cedarridge.health/p/4##", "lakeside-care.net/visit/77##"},
	"code":    {"RA-24-009##", "S24-11##", "24:CH00###R", "A009####", "2024-0091#", "#########", "WC ##-4#1", "CL8###4-02"},
	"code:rx": {"48###12", "0#####-04412"}, "code:store": {"#04412", "0281#"}, "pager": {"33##", "5-44##"}, "ext": {"ext [[44##]]", "x44##"}, "pobox": {"[[PO Box 4##, Omaha]], NE [[681##]]", "P O Box 99##"},
	"faxline": {"03/12/2024 14:22 FAX 4155550123 CEDAR RIDGE 001/004", "MAR-12-2024 09:41 From:LAKESIDE To:5035550188 P.1/4"}, "station": {"CT99", "HOST-4471"}, "dob8": {"1948031#", "19760#21"},
	"mdyspaced": {"03 | 1# | 1948", "0#  21  76"}, "initials": {"KJ", "ab", "R.T.", "MLW"}, "initialsdot": {"J.P.", "A."}, "bloodgroup": {"O POS", "AB NEG"}, "sdate2": {"3/1#/24", "12.4.2#"},
	"zip": {"4####", "1####-####"}, "uk": {"The Surgery, Ilkley LS29 8AB", "12 Moor Lane, York YO1 7HD"}, "fax": {"(4##) 555-01##", "4##-555-01##", "4##.555.01##", "+44 1423 5550##"},
}

// harmless are slots whose values may stay.
var harmless = map[string]bool{"bloodgroup": true, "state": true, "title": true, "device:model": true, "device:ref": true, "uk": false}

// wideSlot returns a value for a slot and whether it is personal; marks in it narrow
// that down.
func (v wideValues) wideSlot(name string) (string, bool) {
	if forms := append(foreignForms[name], numberForms[name]...); forms != nil {
		return v.one(forms...), !harmless[name]
	}
	switch name {
	case "name":
		return v.name(), true
	case "Name":
		return v.formName(), true
	case "NAME":
		return strings.ToUpper(v.name()), true
	case "first", "First":
		return v.first(), true
	case "FIRST":
		return strings.ToUpper(v.first()), true
	case "last":
		return v.last(), true
	case "LAST":
		return strings.ToUpper(v.last()), true
	case "dicomname":
		return strings.ToUpper(v.last()+v.one("^", ",", "_", " ")) + strings.ToUpper(v.first()), true
	case "initial":
		return v.form("@"), true
	case "title":
		return v.pick("Dr", "Dr.", "Mr", "Ms.", "Mrs."), false // stays, or goes with the name
	case "date":
		return v.wideDate(), true
	case "sdate":
		return v.shortDate(), true
	case "age":
		return v.wideAge(), true
	case "ageonly":
		return fmt.Sprint(90 + v.IntN(12)), true
	case "ageyears":
		return v.one("[[9#]] y", "[[9#Y]]", "[[9#]] yrs", "[[9#y]]"), true
	case "age3":
		return v.one("09#Y", "9#Y"), true
	case "phone":
		return v.widePhone(), true
	case "email":
		g, s := plainLetters(v.first()), plainLetters(v.last())
		return strings.ReplaceAll(v.one(g+"."+s+"(at)example.org", g[:1]+s+"(at) cedarridge .com", g+"_"+s+"##(at)mail.lakeside.co.uk", s+" (at)example.net", g+"##(at)gmail.com", g+"."+s+"(at) example.org"), "(at)", "@"), true
	case "street":
		return v.street(), true
	case "addr":
		return v.address(), true
	case "city":
		return v.from("city"), true
	case "state":
		return v.pick("NY", "AZ", "TX"), false
	case "orgname":
		return v.from("org"), true
	case "weekday":
		return v.one("Monday", "Thursday"), true
	case "weekday3":
		return v.one("Mon", "Thu"), true
	}
	panic("no slot " + name)
}

func plainLetters(s string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// wideClass sorts slots into classes of identifiers.
var wideClass = func() map[string]string {
	m := map[string]string{}
	for class, slots := range map[string]string{
		"name":    "name Name NAME first First FIRST last LAST dicomname",
		"initial": "initial initials initialsdot",
		"date":    "date dedate frdate esdate itdate nldate ptdate dob8 mdyspaced", "date, part": "sdate sdate2 weekday weekday3",
		"age": "age ageonly ageyears age3", "phone, fax": "phone fax defax dephone frphone esphone itphone nlphone ptphone ext pager faxline", "email": "email",
		"place":        "street addr city deaddr destreet deort fraddr frcity esaddr esstreet esciudad itcity itaddr nladdr nlcity ptaddr zip pobox uk",
		"organisation": "orgname klinik frorg esorg itplace", "national no.": "ssn ssn4 ssn:nhs tin nir dni cf bsn utente cpf",
		"mrn": "mrn", "health plan": "member group mbi kvnr", "account": "account card iban", "licence": "npi dea licence licence:gmc licence:clia licence:dl licence:pass licence:bsnr licence:lanr licence:col",
		"vehicle": "vehicle:vin vehicle:plate", "device": "device:sn device:lot device:udi station", "url, ip": "url ip mac", "code": "code code:rx code:store",
	} {
		for _, s := range strings.Fields(slots) {
			m[s] = class
		}
	}
	return m
}()
