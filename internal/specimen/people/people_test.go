package people

import (
	"math/rand/v2"
	"testing"
	"time"
)

var now = time.Date(2024, 5, 6, 0, 0, 0, 0, time.UTC)

func gather(h Half) *Crowd { return Gather(h, rand.New(rand.NewPCG(1, 2))) }

func TestHalvesShareNobody(t *testing.T) {
	seen := map[string]Half{}
	for _, half := range []Half{Tune, Publish} {
		c := gather(half)
		for _, pool := range []map[string][]string{c.women, c.men, c.families} {
			for _, names := range pool {
				for _, name := range names {
					if h, ok := seen[name]; ok && h != half {
						t.Errorf("%q is in both halves", name)
					}
					seen[name] = half
				}
			}
		}
	}
	if len(seen) < 2500 {
		t.Errorf("only %d names", len(seen))
	}
}

func TestEveryPoolHasSomethingForBothHalves(t *testing.T) {
	for _, half := range []Half{Tune, Publish} {
		c := gather(half)
		for _, culture := range c.cultures {
			if len(c.women[culture]) == 0 || len(c.men[culture]) == 0 || len(c.families[culture]) < 2 {
				t.Errorf("%v: culture %s is empty", half, culture)
			}
		}
		for country, pool := range c.streets {
			if len(pool.words) == 0 || len(pool.kinds) == 0 || len(c.towns[country]) == 0 {
				t.Errorf("%v: country %s is empty", half, country)
			}
		}
		for _, language := range []string{"en", "de", "fr", "es", "it", "nl", "pt"} {
			if len(c.organisations[language].words) < 2 || c.Organisation(language) == "" {
				t.Errorf("%v: hospitals in %s are too few", half, language)
			}
		}
		for _, country := range []string{"us", "gb", "ca", "au", "de", "fr", "es", "it", "nl", "pt"} {
			for range 50 {
				if a := c.Address(country); a.Street == "" || a.Town == "" || a.Postcode == "" {
					t.Errorf("%v: %+v", half, a)
				}
			}
		}
	}
}

func TestCheckDigitsAreRight(t *testing.T) {
	c := gather(Tune)
	for range 200 {
		if npi := c.NPI(); len(npi) != 10 || !luhn("80840"+npi) {
			t.Errorf("NPI %s", npi)
		}
		if vin := c.VIN(); len(vin) != 17 {
			t.Errorf("VIN %s", vin)
		}
		if nhs := c.NHS(); len(nhs) != 12 {
			t.Errorf("NHS number %s", nhs)
		}
	}
	if luhn("1234") || !luhn("79927398713") {
		t.Error("Luhn's sum is wrong")
	}
}

func TestTheSameChanceMakesTheSamePeople(t *testing.T) {
	a, b := gather(Publish), gather(Publish)
	for range 100 {
		if x, y := a.Person("de", now), b.Person("de", now); x != y {
			t.Fatalf("%+v is not %+v", x, y)
		}
	}
}

func TestAgeAndForms(t *testing.T) {
	p := Person{Given: "Ada", Middle: "Augusta", Family: "Byron", Born: time.Date(1930, 5, 7, 0, 0, 0, 0, time.UTC)}
	for got, want := range map[string]string{p.Full(): "Ada Byron", p.Formal(): "Ada A. Byron", p.Listed(): "Byron, Ada A.", p.Short(): "A. Byron", p.Letters(): "AAB"} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if age := p.Age(now); age != 93 {
		t.Errorf("a day before the birthday the age is %d", age)
	}
}
