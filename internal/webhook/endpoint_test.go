package webhook

import (
	"strings"
	"testing"

	"blotter/internal/queue"
)

const someSecret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="

func TestParseEndpoint(t *testing.T) {
	e, err := ParseEndpoint("ehr:clinic_a=https://hooks.example.org/in?x=a=b")
	if err != nil || e.Name != "ehr" || e.Tenant != "clinic_a" || e.URL != "https://hooks.example.org/in?x=a=b" {
		t.Errorf("%+v, %v", e, err)
	}
	for _, text := range []string{
		"", "ehr", "ehr:clinic", "ehr=https://x.example", ":clinic=https://x.example", "ehr:=https://x.example", "EHR:clinic=https://x.example",
		"ehr:clinic=ftp://x.example", "ehr:clinic=https://", "ehr:clinic=https://secret@x.example/#f", "ehr:Clinic A=https://x.example",
	} {
		if _, err := ParseEndpoint(text); err == nil {
			t.Errorf("%q was taken", text)
		} else if strings.Contains(err.Error(), "secret@") {
			t.Errorf("the error shows the URL: %v", err)
		}
	}
}

func TestParseSecrets(t *testing.T) {
	by, err := ParseSecrets("# rotation\nehr " + someSecret + "\nehr " + someSecret + "\n\nlab\t" + someSecret + "\n")
	if err != nil || len(by["ehr"]) != 2 || len(by["lab"]) != 1 || len(by) != 2 {
		t.Errorf("%d names, %v", len(by), err)
	}
	for _, text := range []string{"ehr", "ehr whsec_", "ehr whsec_AAAA", "ehr MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz", "ehr " + someSecret + " more"} {
		if _, err := ParseSecrets(text); err == nil {
			t.Errorf("%q was taken", text)
		} else if strings.Contains(err.Error(), "MDEy") {
			t.Errorf("the error shows the secret: %v", err)
		}
	}
}

func TestValidate(t *testing.T) {
	s, _ := ParseSecret(someSecret)
	good := Endpoint{Name: "ehr", Tenant: "a", URL: "https://x.example", Secrets: []Secret{s}}
	plain := good
	plain.URL = "http://x.example"
	bare := good
	bare.Secrets = nil
	for name, c := range map[string]struct {
		config Config
		ok     bool
	}{
		"none":            {Config{}, true},
		"one":             {Config{Endpoints: []Endpoint{good}}, true},
		"twice":           {Config{Endpoints: []Endpoint{good, good}}, false},
		"no secret":       {Config{Endpoints: []Endpoint{bare}}, false},
		"not encrypted":   {Config{Endpoints: []Endpoint{plain}}, false},
		"inside, allowed": {Config{Endpoints: []Endpoint{plain}, AllowPrivate: true}, true},
	} {
		c.config.Backoff = DefaultBackoff
		if err := c.config.Validate(); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	if (Config{Backoff: queue.Backoff{}}).Validate() == nil {
		t.Error("an impossible backoff was taken")
	}
}
