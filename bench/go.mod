// The benchmark's own module: no rival becomes a dependency of blotter.
module blotter/bench

go 1.26.0
