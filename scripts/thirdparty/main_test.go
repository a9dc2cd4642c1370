package main

import "testing"

func TestIdentify(t *testing.T) {
	for text, want := range map[string]string{
		"Apache License\n  Version 2.0, January 2004":                                             "Apache-2.0",
		"Permission is hereby granted, free\nof charge, to any person":                            "MIT",
		"Redistribution and use in source and binary forms … used to endorse or promote products": "BSD-3-Clause",
		"Redistribution and use in source and binary forms, with or without":                      "BSD-2-Clause",
		"Mozilla Public License Version 2.0":                                                      "MPL-2.0",
		"GNU GENERAL PUBLIC LICENSE Version 3":                                                    "",
		"You may not use this software.":                                                          "",
	} {
		if got := identify(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestCopyrightIsTheFirstClaim(t *testing.T) {
	const text = "The MIT License\n\nCopyright [yyyy] [name]\nCopyright (c) 2019 Ada Byron\nCopyright (c) 2020 Other"
	if got, want := copyright(text), "Copyright (c) 2019 Ada Byron"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
