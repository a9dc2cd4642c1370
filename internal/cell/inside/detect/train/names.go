package main

import "strings"

// first is a given name: most are well known, some rare, some ordinary words, some made up.
func (w *writer) first() string {
	switch n := w.IntN(20); {
	case n < 8:
		return w.pick(w.famous...)
	case n < 15:
		return w.pick(w.given...)
	case n < 17:
		return w.pick(w.givenWords...)
	case n < 18:
		return w.pick(w.famous...) + "-" + w.pick(w.famous...)
	}
	return w.mutated(w.pick(w.given...))
}

// last is a family name of any part of the world.
func (w *writer) last() string {
	switch n := w.IntN(24); {
	case n < 13:
		return w.pick(w.surnames...)
	case n < 16:
		return w.pick(w.worded...)
	case n < 17:
		return w.pick(w.famous...)
	case n < 18:
		return w.pick(w.surnames...) + "-" + w.pick(w.surnames...)
	case n < 19:
		return w.pick("van der", "van", "de", "de la", "von", "del", "da", "dos", "ter", "el", "bin", "St.", "Le", "La", "Di") + " " + w.pick(w.surnames...)
	case n < 20:
		return w.pick("O'", "Mc", "Mac", "D'", "al-", "El-", "Fitz") + w.pick(w.surnames...)
	}
	return w.mutated(w.pick(w.surnames...))
}

// mutated makes a name that no list has: names are known by their place, too.
func (w *writer) mutated(s string) string {
	rs := []rune(s)
	for range 1 + w.IntN(2) {
		i := w.IntN(len(rs))
		swap := func(set string) {
			if strings.ContainsRune(set, rs[i]) {
				rs[i] = rune(set[w.IntN(len(set))])
			}
		}
		swap("aeiouy")
		swap("bdgptk")
		swap("mnrl")
		swap("szcxj")
		if i > 1 && w.IntN(2) == 0 {
			rs = append(rs[:i], append([]rune(w.pick("a", "o", "r", "n", "sh", "ck", "u", "e", "th", "zi")), rs[i:]...)...)
		}
	}
	return string(rs)
}

func (w *writer) initial() string { return string(rune('A' + w.IntN(26))) }

// initials as charts have them.
func (w *writer) initials() string {
	a, b, c := w.initial(), w.initial(), w.initial()
	return w.pick(a+b, a+b, a+b+c, a+"."+b+".", strings.ToLower(a+b), a+" "+b, a+"/"+b)
}

// name in running text.
func (w *writer) name() string {
	f, l := w.first(), w.last()
	return w.pick(f+" "+l, f+" "+l, f+" "+l, f+" "+l, f+" "+w.initial()+". "+l, f+" "+w.initial()+" "+l, w.initial()+". "+l, w.initial()+". "+w.initial()+". "+l,
		f+" "+w.first()+" "+l, f+" "+l+w.pick(" Jr.", ", Jr.", " III", " Sr.", " II"))
}

// formName is a name as forms and lists have it.
func (w *writer) formName() string {
	f, l := w.first(), w.last()
	s := w.pick(f+" "+l, f+" "+l, l+", "+f, l+", "+f, l+", "+f+" "+w.initial(), l+" "+f, f+" "+w.initial()+" "+l, f+" "+w.initial()+". "+l, l+","+f, f+" "+w.first()+" "+l)
	switch w.IntN(8) {
	case 0, 1:
		return strings.ToUpper(s)
	case 2:
		return strings.ToLower(s)
	case 3:
		return w.pick("Mr. ", "Mrs. ", "Ms. ", "Miss ", "") + s
	}
	return s
}

func (w *writer) listName() string {
	f, l := w.first(), w.last()
	s := w.pick(l+", "+f, l+", "+f, l+","+f, l+" "+f, l+"^"+f, l+", "+f+" "+w.initial(), l+", "+f+" "+w.initial()+".", f+" "+l)
	if w.IntN(4) > 0 {
		return strings.ToUpper(s)
	}
	return s
}

// organisation makes up who treats, employs or insures.
func (w *writer) organisation() string {
	what := w.pick("Hospital", "Medical Center", "Clinic", "Health", "Health System", "Healthcare", "Health Partners", "Family Practice", "Medical Group", "Physicians", "Associates",
		"Memorial Hospital", "Community Hospital", "Regional Medical Center", "Children's Hospital", "Nursing Home", "Care Center", "Rehabilitation", "Hospice", "Home Health", "Pharmacy", "Dental",
		"Laboratories", "Diagnostics", "Imaging", "Radiology Associates", "Orthopedics", "Pediatrics", "Cardiology Group", "Urgent Care", "Surgery Center", "Eye Institute", "Insurance", "Mutual",
		"Elementary School", "High School", "University", "College", "Industries", "Foods", "Logistics", "Trucking", "Bank", "Police Department", "County Jail", "Manor", "Assisted Living")
	plain := w.pick("Valley", "Lakeside", "Riverside", "Northern", "Summit", "Mercy", "Providence", "Pine Grove", "Oak Hill", "Golden Gate", "Sunrise", "Evergreen", "Cedar", "Harbor", "Prairie", "Mountain View", "Blue Ridge",
		"United", "First", "Premier", "Advanced", "Heritage", "Pacific", "Atlantic", "Midwest", "Good Samaritan", "Holy Cross", "Sacred Heart", "Unity", "Liberty", "Central", "Meadow", "Spring", "Maple", "Cornerstone", "Trinity", "Hope", "Grace")
	switch w.IntN(9) {
	case 0:
		return "St. " + w.pick("Mary's", "Luke's", "Joseph's", "Anne", "Vincent", "Elizabeth", "Francis", "John's") + " " + what
	case 1, 2:
		return w.pick(w.cities...) + " " + what
	case 3:
		return w.pick(w.surnames...) + " " + what
	case 4:
		return w.pick(w.surnames...) + " & " + w.pick(w.surnames...) + w.pick(" LLP", ", Inc.", "", " PC", " "+what)
	case 5:
		return w.foreignOrganisation()
	}
	return plain + " " + what
}

func (w *writer) foreignOrganisation() string {
	city, saint := w.pick(w.cities...), w.pick(w.famous...)
	return w.pick("Klinikum "+city, "Universitätsklinikum "+city, "Krankenhaus St. "+saint, "Gemeinschaftspraxis Dr. "+w.pick(w.surnames...), "AOK "+city, "Hôpital "+city, "CHU de "+city, "Clinique Saint-"+saint,
		"Hospital Universitario de "+city, "Hospital San "+saint, "Centro de Salud "+city, "Ospedale "+city, "Azienda Ospedaliera "+city, "ASL "+city, "Ziekenhuis "+city, "Medisch Centrum "+city, "Hospital de "+city, "Centro Hospitalar de "+city, "Santa Casa de "+city)
}
