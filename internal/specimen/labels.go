package specimen

// labels are the wordings of a form's labels; the even ones serve one half, the odd ones
// the other. The first two of the commonest are so common that a half without them would
// not be true; they come again.
var labels = map[string][]string{
	"name":         {"Patient Name", "Name", "Patient", "Patient's Name", "Name of Patient", "Patient Name", "Pt. Name", "Full name", "Last Name, First Name", "Client name"},
	"born":         {"DOB", "Date of Birth", "Date of Birth", "DOB", "Birth Date", "Birthdate", "D.O.B.", "Born"},
	"mrn":          {"MRN", "Medical Record Number", "Medical Record No.", "MRN", "Med Rec #", "Record #", "Unit No.", "Chart Number", "Hospital No.", "Patient ID"},
	"visit":        {"Date of Service", "Visit Date", "Exam date", "Service Date", "Date", "Date seen", "DOS", "Encounter date"},
	"doctor":       {"Physician", "Provider", "Attending", "Doctor", "Referring physician", "Ordering provider", "PCP", "Primary care physician"},
	"account":      {"Account No.", "Account Number", "Acct #", "Patient account", "Billing no.", "Guarantor account"},
	"visitnumber":  {"Visit No.", "Encounter", "Encounter #", "Visit ID", "CSN", "FIN"},
	"sex":          {"Sex", "Gender", "Sex", "M/F"},
	"ssn":          {"SSN", "Social Security No.", "Soc. Sec. #", "Social Security Number", "SS#", "Social Sec. No."},
	"phone":        {"Home phone", "Phone", "Telephone", "Cell", "Tel. (day)", "Mobile", "Phone number", "Contact number"},
	"work":         {"Work phone", "Business phone", "Phone (work)", "Office"},
	"fax":          {"Fax", "Fax No.", "FAX", "Facsimile"},
	"email":        {"E-mail", "Email address", "Email", "E-Mail"},
	"address":      {"Address", "Street address", "Mailing address", "Home address", "Residence", "Street"},
	"town":         {"City, State, ZIP", "City / State / Zip", "City/State/ZIP code", "Town and ZIP"},
	"employer":     {"Employer", "Place of work", "Occupation / employer", "Employed by"},
	"insurance":    {"Insurance", "Health plan", "Primary insurance", "Carrier", "Payer", "Insurance company"},
	"member":       {"Member ID", "Policy number", "Subscriber ID", "Insurance ID", "Policy #", "ID Number", "Identification No.", "Member No."},
	"group":        {"Group No.", "Group", "Group #", "Group number", "Grp", "Plan/group"},
	"subscriber":   {"Subscriber", "Policy holder", "Insured's name", "Name of insured"},
	"medicare":     {"Medicare No.", "Medicare number", "MBI", "Medicare ID"},
	"emergency":    {"Emergency contact", "In case of emergency notify", "Next of kin", "Contact person", "Person to notify", "Nearest relative"},
	"relationship": {"Relationship", "Relation", "Relationship to patient", "Rel."},
	"accession":    {"Accession No.", "Accession", "Specimen ID", "Lab No.", "Order #", "Case number", "Specimen #", "Requisition"},
	"licence":      {"Driver's license", "License No.", "DL #", "Driver licence", "Lic. #", "Driver License Number"},
	"vin":          {"VIN", "Vehicle ID", "Vehicle identification", "Vehicle VIN"},
	"plate":        {"License plate", "Plate No.", "Tag", "Plate"},
	"device":       {"Serial No.", "Device serial", "S/N", "Serial number", "Implant serial", "Device ID"},
	"employee":     {"Employee ID", "Badge", "Staff ID", "Employee no."},
	"pharmacy":     {"Pharmacy", "Preferred pharmacy", "Drug store", "Pharmacy name"},
}

// label is the wording of a label for this half.
func (d *desk) label(key string) string {
	of, ok := labels[key]
	if !ok {
		panic("specimen: no label " + key)
	}
	return d.wording(of...)
}
