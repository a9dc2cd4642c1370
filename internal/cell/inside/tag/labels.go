package tag

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"blotter/internal/document"
)

// maxWindow is how many tokens are given to a model at once, where it takes as many.
// Attention grows with the square of it, and nothing on a page needs more around it.
const maxWindow = 512

// minWindow is the least that a model must take: a word and something around it.
const minWindow = 2 * maxPieces

// usual are the labels that models for names and for de-identification give, without
// their prefix, in capitals: those of CoNLL and OntoNotes, of the i2b2 challenges, and of
// the models trained on them. What is not here must stand in the configuration.
var usual = map[string]document.Type{
	"O": 0, "NONE": 0, "STATE": 0, "COUNTRY": 0, "PROFESSION": 0, // the law leaves these standing

	"PER": document.Name, "PERSON": document.Name, "NAME": document.Name, "PATIENT": document.Name,
	"GIVENNAME": document.Name, "SURNAME": document.Name, "FIRSTNAME": document.Name, "LASTNAME": document.Name,
	"DOCTOR": document.Staff, "STAFF": document.Staff, "HCW": document.Staff,
	"LOC": document.Place, "LOCATION": document.Place, "GPE": document.Place, "CITY": document.Place, "STREET": document.Place,
	"ADDRESS": document.Place, "ZIP": document.Place, "ZIPCODE": document.Place, "LOCATION-OTHER": document.Place,
	"FAC": document.Place,
	"ORG": document.Organisation, "ORGANIZATION": document.Organisation, "ORGANISATION": document.Organisation,
	"HOSP": document.Organisation, "HOSPITAL": document.Organisation, "PATORG": document.Organisation, "VENDOR": document.Organisation,
	"DATE": document.Date, "DOB": document.Date, "DATEOFBIRTH": document.Date, "AGE": document.Age,
	"PHONE": document.Phone, "TELEPHONENUM": document.Phone, "CONTACT": document.Phone, "FAX": document.Fax,
	"EMAIL": document.Email, "URL": document.URL, "IPADDR": document.IP, "IPADDRESS": document.IP,
	"SSN": document.SSN, "SOCIALNUM": document.SSN, "MEDICALRECORD": document.MRN, "MRN": document.MRN,
	"HEALTHPLAN": document.HealthPlan, "ACCOUNT": document.Account, "ACCOUNTNUM": document.Account, "CREDITCARDNUMBER": document.Account,
	"LICENSE": document.Licence, "DRIVERLICENSENUM": document.Licence, "VEHICLE": document.Vehicle, "DEVICE": document.Device,
	"BIOID": document.Biometric, "ID": document.Code, "IDNUM": document.Code, "USERNAME": document.Code, "OTHERPHI": document.Code,
}

// prefixes say where in a name a token stands (BIO, BILOU, BIOES). Every token counts for
// itself here, so they tell nothing.
var prefixes = []string{"B-", "I-", "L-", "U-", "E-", "S-", "B_", "I_"}

// config is what counts in a config.json.
type config struct {
	Labels    map[string]string `json:"id2label"`
	Positions int               `json:"max_position_embeddings"`
	Kind      string            `json:"model_type"`
}

// readConfig returns the type of each label, by its number, and how many tokens the model
// takes at once.
func readConfig(b []byte, meanings map[string]document.Type) ([]document.Type, int, error) {
	var c config
	if err := json.Unmarshal(b, &c); err != nil {
		return nil, 0, fmt.Errorf("config.json: %w", err)
	}
	labels, err := c.types(meanings)
	if err != nil {
		return nil, 0, fmt.Errorf("config.json: %w", err)
	}
	window := c.window()
	if window < minWindow {
		return nil, 0, fmt.Errorf("config.json: the model takes %d tokens at once, which is less than %d", window, minWindow)
	}
	return labels, window, nil
}

// window follows max_position_embeddings. RoBERTa and its kin count positions from two.
func (c config) window() int {
	switch {
	case c.Positions == 0:
		return maxWindow
	case strings.Contains(c.Kind, "roberta") || c.Kind == "camembert":
		return min(maxWindow, c.Positions-2)
	}
	return min(maxWindow, c.Positions)
}

func (c config) types(own map[string]document.Type) ([]document.Type, error) {
	if len(c.Labels) < 2 {
		return nil, fmt.Errorf("id2label names %d labels", len(c.Labels))
	}
	out := make([]document.Type, len(c.Labels))
	plain := map[string]document.Type{} // meanings may be given with prefixes
	for label, typ := range own {
		plain[bare(label)] = typ
	}
	var unknown []string
	for i := range out {
		label, ok := c.Labels[strconv.Itoa(i)]
		if !ok {
			return nil, fmt.Errorf("id2label has no label %d of %d", i, len(out))
		}
		name := bare(label)
		typ, ok := plain[name]
		if !ok {
			typ, ok = usual[name]
		}
		if !ok && !slices.Contains(unknown, name) {
			unknown = append(unknown, name)
		}
		out[i] = typ
	}
	if unknown != nil {
		return nil, fmt.Errorf("labels without a meaning: %s; say in the configuration what each stands for", strings.Join(unknown, ", "))
	}
	return out, nil
}

// bare is a label in capitals without its prefix.
func bare(label string) string {
	label = strings.ToUpper(strings.TrimSpace(label))
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(label, p); ok && rest != "" {
			return rest
		}
	}
	return label
}
