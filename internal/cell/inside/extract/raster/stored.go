package raster

// stored is how many bits a channel of the frame has, and how many channels there are, as
// the file holds them; zeros where its headers do not tell.
func (f frame) stored() (bits, channels int) {
	switch {
	case f.dir != nil:
		l, err := layoutOf(f.dir)
		if err != nil {
			return 0, 0
		}
		return l.bits, l.samples
	case f.bmp != nil && f.bmp.bits <= 8:
		return f.bmp.bits, 1
	case f.bmp != nil && f.bmp.bits != 16: // 16 bits are shared out by masks
		return 8, f.bmp.bits / 8
	}
	return f.bits, f.samples
}
