package cell

// Engines are the files that a cell reads before it locks itself. Under root they must
// be readable by everyone, since a cell is nobody.
type Engines struct {
	Library, Detection, Recognition, Angle, Dictionary string // paths
	Cache                                              string // directory of the WASM compilation cache
}

func (e Engines) paths() []string {
	return []string{e.Library, e.Detection, e.Recognition, e.Angle, e.Dictionary, e.Cache}
}
