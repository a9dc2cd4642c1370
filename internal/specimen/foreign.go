package specimen

import (
	"strings"

	"blotter/internal/examples/paper"
)

// languages besides English, with the country that a document in them comes from.
var languages = [][2]string{{"de", "de"}, {"fr", "fr"}, {"es", "es"}, {"it", "it"}, {"nl", "nl"}, {"pt", "pt"}}

// foreignLabels are wordings by language; even entries serve one half, odd ones the other.
var foreignLabels = map[string]map[string][]string{
	"de": {"title": {"Patientenaufnahme", "Anamnesebogen", "Stammdatenblatt", "Überweisung"}, "family": {"Nachname", "Name", "Familienname", "Zuname"}, "given": {"Vorname", "Vorname(n)"},
		"born": {"Geburtsdatum", "geb. am", "Geb.-Datum", "Geboren"}, "street": {"Straße", "Anschrift", "Straße, Hausnr.", "Adresse"}, "town": {"PLZ, Ort", "PLZ / Wohnort"}, "phone": {"Telefon", "Tel.", "Telefonnummer", "Mobil"},
		"email": {"E-Mail", "E-Mail-Adresse"}, "national": {"Versichertennummer", "Versicherten-Nr.", "Versicherten-Nr.", "KV-Nummer"}, "insurer": {"Krankenkasse", "Kostenträger"}, "doctor": {"Hausarzt", "Behandelnder Arzt", "Überweisender Arzt", "Arzt"},
		"number": {"Patientennummer", "Fallnummer", "Pat.-Nr.", "Aufnahmenummer"}, "sex": {"Geschlecht", "Geschlecht"}, "date": {"Datum", "Aufnahmedatum", "Ausgestellt am", "Behandlungstag"}, "kin": {"Angehörige", "Im Notfall zu benachrichtigen"}, "complaint": {"Beschwerden", "Diagnose"}, "sign": {"Unterschrift", "Unterschrift des Patienten"}, "dear": {"Sehr geehrte Frau Kollegin, sehr geehrter Herr Kollege,", "Sehr geehrte Damen und Herren,"}, "m": {"männlich", "m"}, "f": {"weiblich", "w"}, "ill": {"Hypertonie", "Morbus Crohn"}},
	"fr": {"title": {"Fiche d'admission", "Dossier patient", "Feuille de soins", "Fiche d'inscription"}, "family": {"Nom", "Nom de famille", "NOM", "Nom d'usage"}, "given": {"Prénom", "Prénoms"},
		"born": {"Date de naissance", "Né(e) le", "Naissance", "Né le"}, "street": {"Adresse", "Domicile", "Rue", "Demeurant"}, "town": {"Code postal, ville", "CP / Ville"}, "phone": {"Téléphone", "Tél.", "Tél. portable", "N° de téléphone"},
		"email": {"Courriel", "Adresse e-mail"}, "national": {"N° de sécurité sociale", "Numéro d'assuré", "N° Sécu", "NIR"}, "insurer": {"Mutuelle", "Caisse d'assurance"}, "doctor": {"Médecin traitant", "Praticien", "Docteur", "Médecin"},
		"number": {"N° de dossier", "IPP", "Numéro patient", "N° d'hospitalisation"}, "sex": {"Sexe", "Sexe"}, "date": {"Date", "Date d'entrée", "Fait le", "Date de consultation"}, "kin": {"Personne à prévenir", "Personne de confiance"}, "complaint": {"Motif", "Diagnostic"}, "sign": {"Signature", "Signature du patient"}, "dear": {"Cher confrère,", "Chère consœur, cher confrère,"}, "m": {"masculin", "M"}, "f": {"féminin", "F"}, "ill": {"hypertension", "maladie de Crohn"}},
	"es": {"title": {"Hoja de ingreso", "Ficha del paciente", "Datos de filiación", "Hoja de admisión"}, "family": {"Apellidos", "Primer apellido", "Apellido(s)", "Apellidos del paciente"}, "given": {"Nombre", "Nombre de pila"},
		"born": {"Fecha de nacimiento", "F. nac.", "Nacido el", "Fecha nac."}, "street": {"Domicilio", "Dirección", "Calle", "Dirección postal"}, "town": {"C.P. y localidad", "Código postal / Ciudad"}, "phone": {"Teléfono", "Tel.", "Móvil", "Teléfono de contacto"},
		"email": {"Correo electrónico", "E-mail"}, "national": {"DNI", "N.º de DNI", "NIF / DNI", "Documento"}, "insurer": {"Aseguradora", "Compañía"}, "doctor": {"Médico", "Facultativo", "Médico de cabecera", "Médico responsable"},
		"number": {"N.º de historia", "Historia clínica", "NHC", "N.º de episodio"}, "sex": {"Sexo", "Sexo"}, "date": {"Fecha", "Fecha de ingreso", "Fecha de visita", "Fecha de consulta"}, "kin": {"Persona de contacto", "Familiar"}, "complaint": {"Motivo de consulta", "Diagnóstico"}, "sign": {"Firma", "Firma del paciente"}, "dear": {"Estimado compañero:", "Estimados colegas:"}, "m": {"varón", "H"}, "f": {"mujer", "M"}, "ill": {"hipertensión", "enfermedad de Crohn"}},
	"it": {"title": {"Scheda paziente", "Modulo di accettazione", "Cartella clinica", "Dati anagrafici"}, "family": {"Cognome", "Cognome del paziente", "COGNOME", "Cognome"}, "given": {"Nome", "Nome"},
		"born": {"Data di nascita", "Nato/a il", "Nato il", "Data nascita"}, "street": {"Indirizzo", "Residenza", "Via", "Domicilio"}, "town": {"CAP e città", "CAP / Comune"}, "phone": {"Telefono", "Tel.", "Cellulare", "Recapito telefonico"},
		"email": {"E-mail", "Posta elettronica"}, "national": {"Codice fiscale", "C.F.", "Cod. fiscale", "Codice Fiscale"}, "insurer": {"Assicurazione", "ASL"}, "doctor": {"Medico curante", "Medico", "Medico di base", "Dottore"},
		"number": {"N. cartella", "Numero paziente", "ID paziente", "N. ricovero"}, "sex": {"Sesso", "Sesso"}, "date": {"Data", "Data di ricovero", "Data visita", "Data accettazione"}, "kin": {"Persona da avvisare", "Familiare"}, "complaint": {"Motivo della visita", "Diagnosi"}, "sign": {"Firma", "Firma del paziente"}, "dear": {"Egregio collega,", "Gentile collega,"}, "m": {"maschio", "M"}, "f": {"femmina", "F"}, "ill": {"ipertensione", "morbo di Crohn"}},
	"nl": {"title": {"Inschrijfformulier", "Patiëntgegevens", "Opnameformulier", "Patiëntenkaart"}, "family": {"Achternaam", "Naam", "Familienaam", "Geslachtsnaam"}, "given": {"Voornaam", "Roepnaam"},
		"born": {"Geboortedatum", "Geb. datum", "Geboren op", "Geb.dat."}, "street": {"Adres", "Straat", "Straat en huisnummer", "Woonadres"}, "town": {"Postcode en plaats", "Postcode / Woonplaats"}, "phone": {"Telefoon", "Tel.", "Telefoonnummer", "Mobiel"},
		"email": {"E-mail", "E-mailadres"}, "national": {"BSN", "Burgerservicenummer", "BSN-nummer", "BSN"}, "insurer": {"Zorgverzekeraar", "Verzekering"}, "doctor": {"Huisarts", "Behandelaar", "Arts", "Behandelend arts"},
		"number": {"Patiëntnummer", "Dossiernummer", "Pat.nr.", "Opnamenummer"}, "sex": {"Geslacht", "Geslacht"}, "date": {"Datum", "Opnamedatum", "Datum bezoek", "Consultdatum"}, "kin": {"Contactpersoon", "Te waarschuwen"}, "complaint": {"Klachten", "Diagnose"}, "sign": {"Handtekening", "Handtekening patiënt"}, "dear": {"Geachte collega,", "Geachte heer, mevrouw,"}, "m": {"man", "M"}, "f": {"vrouw", "V"}, "ill": {"hypertensie", "ziekte van Crohn"}},
	"pt": {"title": {"Ficha do doente", "Ficha de inscrição", "Folha de admissão", "Registo do utente"}, "family": {"Apelido", "Apelidos", "Sobrenome", "Nome de família"}, "given": {"Nome", "Nome próprio"},
		"born": {"Data de nascimento", "Nascido a", "Data nasc.", "Nascimento"}, "street": {"Morada", "Endereço", "Rua", "Residência"}, "town": {"Código postal", "C. postal e localidade"}, "phone": {"Telefone", "Tel.", "Telemóvel", "Contacto"},
		"email": {"E-mail", "Correio eletrónico"}, "national": {"N.º de utente", "Número de utente", "N.º utente SNS", "NIF"}, "insurer": {"Subsistema", "Seguradora"}, "doctor": {"Médico", "Médico assistente", "Médico de família", "Clínico"},
		"number": {"N.º de processo", "Processo", "Processo clínico", "Episódio"}, "sex": {"Sexo", "Sexo"}, "date": {"Data", "Data de admissão", "Data da consulta", "Data de entrada"}, "kin": {"Pessoa a contactar", "Familiar"}, "complaint": {"Motivo", "Diagnóstico"}, "sign": {"Assinatura", "Assinatura do utente"}, "dear": {"Caro colega,", "Exmo. colega,"}, "m": {"masculino", "M"}, "f": {"feminino", "F"}, "ill": {"hipertensão", "doença de Crohn"}},
}

func (d *desk) foreign(key string) string { return d.wording(foreignLabels[d.language][key]...) }

// settleAbroad takes the languages in turn.
func (d *desk) settleAbroad() {
	l := languages[d.n%len(languages)]
	d.settle(l[0], l[1])
}

// foreignForm is an admission form of another country.
func foreignForm(d *desk) made {
	d.settleAbroad()
	s := d.page()
	x := 50.0
	width := s.Width - 2*x
	s.Text(x, 60, d.print.strong(15), d.foreign("title"))
	s.Right(s.Width-x, 60, d.print.at(9), d.hospital())
	set := d.print.at(10)
	if d.maybe(25) {
		set = d.handStyle()
	}
	street, town := d.lines(d.home)
	sex := d.foreign("m")
	if d.subject.Female {
		sex = d.foreign("f")
	}
	who, _ := d.crowd.Relative(d.subject)
	y := d.form(s, d.fieldStyle(), x, 76, width, 2, set, d.shuffled([]field{{d.foreign("family"), marked("name", d.subject.Family)}, {d.foreign("given"), marked("name", d.subject.Given)}, {d.foreign("born"), d.born()},
		{d.foreign("sex"), sex}, {d.foreign("street"), street}, {d.foreign("town"), town}, {d.foreign("phone"), d.phone()}, {d.foreign("email"), marked("email", d.crowd.Email(d.subject))},
		{d.foreign("national"), marked("ssn", d.crowd.National(d.country, d.subject))}, {d.foreign("insurer"), d.hospital()}, {d.foreign("doctor"), marked("staff", d.doctor.Full())},
		{d.foreign("number"), marked("mrn", d.mrn)}, {d.foreign("date"), d.day(d.today)}, {d.foreign("kin"), marked("name", who.Full())}, {d.foreign("complaint"), d.foreign("ill")}})) + 24
	body := d.print.at(10)
	y = s.Paragraph(x, y, width, 14, body, d.tale(5)) + 40
	d.scrawl(s, x+16, y-24, 120, 22)
	s.Fill(x, y, width*0.5, 0.6, ruleGray)
	s.Text(x, y+10, d.print.at(7.5), d.foreign("sign"))
	return d.onPaper(s)
}

// tale is a number of sentences in the document's language that name nobody twice.
func (d *desk) tale(sentences int) string {
	var out []string
	all := d.book.Letter(d.language)
	for _, s := range all[1:min(len(all), sentences+1)] {
		out = append(out, d.fill(s))
	}
	return strings.Join(out, " ")
}

// foreignLetter is a doctor's letter of another country.
func foreignLetter(d *desk) made {
	d.settleAbroad()
	s := d.page()
	x := 62.0
	width := s.Width - 2*x
	body := d.print.at(10.5)
	y := d.foreignHead(s, x)
	recipient := d.crowd.Person(d.language, d.today)
	street, town := d.lines(d.crowd.Address(d.country))
	y = s.Block(x, y, 14, body, marked("staff", recipient.Full()), street, town)
	s.Right(s.Width-x, y, body, d.lineDate())
	y = s.Block(x, y+22, 14, d.print.strong(10.5), marked("name", d.subject.Full())+", "+d.foreign("born")+": "+d.born(), d.foreign("number")+": "+marked("mrn", d.mrn)+"   "+d.foreign("national")+": "+marked("ssn", d.crowd.National(d.country, d.subject)))
	s.Text(x, y+14, body, d.foreign("dear"))
	y += 36
	for _, sentence := range d.book.Letter(d.language) {
		y = s.Paragraph(x, y, width, 14.5, body, d.fill(sentence)) + 4
	}
	d.scrawl(s, x, y+8, 110, 24)
	s.Block(x, y+48, 14, body, marked("staff", d.doctor.Full()), d.hospital())
	return d.onPaper(s)
}

// lineDate is "Town, date".
func (d *desk) lineDate() string {
	return marked("place", d.crowd.Address(d.country).Town) + ", " + d.day(d.today)
}

func (d *desk) foreignHead(s *paper.Sheet, x float64) float64 {
	street, town := d.lines(d.crowd.Address(d.country))
	contact := d.foreign("phone") + " " + d.phone() + "   Fax " + d.fax()
	if d.variant(2) == 0 {
		s.Text(x, 58, d.print.strong(15), d.hospital())
		s.Text(x, 72, d.print.at(8.5), street+", "+town)
		s.Text(x, 83, d.print.at(8.5), contact)
		s.Fill(x, 92, s.Width-2*x, 0.8, ruleGray)
		return 122
	}
	s.Right(s.Width-x, 56, d.print.strong(14), d.hospital())
	s.Right(s.Width-x, 69, d.print.at(8.5), street)
	s.Right(s.Width-x, 80, d.print.at(8.5), town)
	s.Right(s.Width-x, 91, d.print.at(8.5), contact)
	return 122
}
