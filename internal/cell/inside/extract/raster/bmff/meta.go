package bmff

import (
	"errors"
	"fmt"
)

var errTooMany = errors.New("bmff: more items than a file may have")

// meta reads the description of items, ISO 14496-12 8.11.
func (f *File) meta(body []byte) error {
	v := fields{b: body}
	v.full()
	var properties []Prop
	var links []func() error // made once every item is known
	err := boxes(v.b, func(kind string, b []byte) error {
		switch kind {
		case "pitm":
			f.primary(b)
		case "iinf":
			return f.infos(b)
		case "iloc":
			return f.locations(b)
		case "iref":
			return f.references(b)
		case "idat":
			f.idat = b
		case "iprp":
			return boxes(b, func(kind string, b []byte) error {
				switch kind {
				case "ipco":
					return boxes(b, func(kind string, b []byte) error {
						properties = append(properties, Prop{kind, b})
						return nil
					})
				case "ipma":
					links = append(links, func() error { return f.associate(b, properties) })
				}
				return nil
			})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, link := range links {
		if err := link(); err != nil {
			return err
		}
	}
	return nil
}

func (f *File) primary(b []byte) {
	v := fields{b: b}
	version, _ := v.full()
	f.Primary = uint32(v.number(wide(version > 0)))
}

// wide is how many bytes a number has that may be of two sizes.
func wide(is bool) int {
	if is {
		return 4
	}
	return 2
}

// item finds or makes the item of a number.
func (f *File) item(id uint32) (*Item, error) {
	if it := f.byID[id]; it != nil {
		return it, nil
	}
	if len(f.Items) >= itemsRead {
		return nil, errTooMany
	}
	it := &Item{ID: id}
	f.byID[id] = it
	f.Items = append(f.Items, it)
	return it, nil
}

func (f *File) infos(b []byte) error {
	v := fields{b: b}
	version, _ := v.full()
	v.number(wide(version > 0))
	return boxes(v.b, func(kind string, b []byte) error {
		if kind != "infe" {
			return nil
		}
		v := fields{b: b}
		version, flags := v.full()
		if version < 2 {
			return fmt.Errorf("bmff: item of version %d", version)
		}
		it, err := f.item(uint32(v.number(wide(version > 2))))
		if err != nil {
			return err
		}
		v.number(2) // protection
		it.Type, it.Hidden, it.known = string(v.take(4)), flags&1 == 1, true
		return nil
	})
}

// locations reads where the data of items lies.
func (f *File) locations(b []byte) error {
	v := fields{b: b}
	version, _ := v.full()
	sizes := v.number(2)
	offset, length, base, index := int(sizes>>12), int(sizes>>8&15), int(sizes>>4&15), int(sizes&15)
	if version == 0 || version > 2 {
		index = 0
	}
	extents := 0
	for n := v.number(wide(version > 1)); n > 0 && !v.short; n-- {
		it, err := f.item(uint32(v.number(wide(version > 1))))
		if err != nil {
			return err
		}
		if version > 0 {
			it.method = v.number(2) & 15
		}
		v.number(2) // the file itself, or another that is never opened
		from := v.number(base)
		for k := v.number(2); k > 0 && !v.short; k-- {
			if extents++; extents > extentsMax {
				return errTooMany
			}
			v.number(index)
			e := extent{at: from + v.number(offset), length: v.number(length)}
			if length == 0 && uint64(f.size) > e.at { // up to the end
				e.length = uint64(f.size) - e.at
			}
			it.extents = append(it.extents, e)
		}
	}
	if v.short {
		return errors.New("bmff: list of places cut off")
	}
	return nil
}

func (f *File) references(b []byte) error {
	v := fields{b: b}
	version, _ := v.full()
	n := wide(version > 0)
	return boxes(v.b, func(kind string, b []byte) error {
		v := fields{b: b}
		it, err := f.item(uint32(v.number(n)))
		if err != nil {
			return err
		}
		var to []uint32
		for k := v.number(2); k > 0 && !v.short; k-- {
			to = append(to, uint32(v.number(n)))
		}
		switch kind {
		case "dimg":
			it.Tiles = to
		case "thmb":
			it.Shows = to
		case "auxl":
			it.AuxOf = to
		case "prem":
			it.Premul = true
		}
		return nil
	})
}

// associate gives items their properties, in the order in which they apply.
func (f *File) associate(b []byte, properties []Prop) error {
	v := fields{b: b}
	version, flags := v.full()
	for n := v.number(4); n > 0 && !v.short; n-- {
		it, err := f.item(uint32(v.number(wide(version > 0))))
		if err != nil {
			return err
		}
		for k := v.number(1); k > 0 && !v.short; k-- {
			i := int(v.number(1) & 0x7f)
			if flags&1 == 1 {
				i = i<<8 | int(v.number(1))
			}
			if i > 0 && i <= len(properties) && len(it.Props) < 64 {
				it.Props = append(it.Props, properties[i-1])
			}
		}
	}
	return nil
}
