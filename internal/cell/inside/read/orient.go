package read

import (
	"context"
	"slices"

	"blotter/internal/document"
)

// upright finds out how the picture must be turned for its text to stand upright.
// Whether by an odd number of quarters is seen from the shape of the regions; which
// of the two turns left is right, from lines shown to the angle classifier and, where
// that is undecided, read both ways.
//
// regions are those of the unturned view v.
func (r *Reader) upright(ctx context.Context, v view, regions []region) (document.Turn, error) {
	lying := sideways(regions)
	sample := longest(regions, lying)
	if len(sample) == 0 {
		return 0, nil
	}
	share, err := r.upsideDown(v, sample)
	if err != nil {
		return 0, err
	}
	flipped := false
	if share > angleDoubt { // a page is not turned over on the classifier's word alone
		if flipped, err = r.readsBetterReversed(ctx, v, sample[:min(len(sample), angleReadings)]); err != nil {
			return 0, err
		}
	}
	switch {
	case lying && flipped: // lines run from the top to the bottom
		return 3, nil
	case lying: // from the bottom to the top
		return 1, nil
	case flipped:
		return 2, nil
	}
	return 0, nil
}

// sideways reports whether the lines, weighted by their length, run along columns.
func sideways(regions []region) bool {
	rows, columns := 0.0, 0.0
	for _, g := range regions {
		switch l, h := g.length(), g.height(); {
		case l > 2*h:
			rows += l
		case h > 2*l:
			columns += h
		}
	}
	return columns > rows
}

// longest returns the lines that tell most about the direction: the longest, as they
// would be read; where lying, each from the bottom to the top.
func longest(regions []region, lying bool) []region {
	var out []region
	for _, g := range regions {
		if lying {
			g.quad = g.upwards()
		}
		if g.length() >= g.height() {
			out = append(out, g)
		}
	}
	// Very long lines say no more than long ones: what the classifier sees is cut.
	slices.SortStableFunc(out, func(a, b region) int {
		return compare(min(12, b.length()/b.height()), min(12, a.length()/a.height()))
	})
	return out[:min(len(out), angleSamples)]
}

// upsideDown is the share, 0–1, of the angle classifier's votes for upside down,
// each weighted by how sure it is. It stops where the first ones agree and are sure.
func (r *Reader) upsideDown(v view, sample []region) (float64, error) {
	up, down := 0.0, 0.0
	for i, g := range sample {
		if i >= angleEnough && min(up, down) == 0 && max(up, down) > angleSure*float64(i) {
			break
		}
		if most := g.height() * 8; g.length() > most {
			g.quad = g.part(0, 0, most/g.length(), 1)
		}
		c := v.cut(g.quad)
		if c.w > angleWidth {
			c.picture = c.picture.resize(angleWidth, c.h)
		}
		err := r.angle.Run([]int{1, 3, cropHeight, angleWidth},
			func(in []float32) { c.normalise(in, angleWidth, 0) },
			func(out []float32, _ []int) {
				if len(out) == 2 && out[1] > out[0] {
					down += float64(out[1]) - 0.5
				} else if len(out) == 2 {
					up += float64(out[0]) - 0.5
				}
			})
		if err != nil {
			return 0, err
		}
	}
	if up+down == 0 {
		return 0.5, nil
	}
	return down / (up + down), nil
}

// readsBetterReversed reads lines both ways.
func (r *Reader) readsBetterReversed(ctx context.Context, v view, sample []region) (bool, error) {
	both := slices.Clone(sample)
	for _, g := range sample {
		g.quad = g.reversed()
		both = append(both, g)
	}
	readings, err := r.recognise(ctx, v, both)
	if err != nil {
		return false, err
	}
	better := 0.0
	for i := range sample {
		better += readings[i+len(sample)].sureness() - readings[i].sureness()
	}
	return better > 0, nil
}
