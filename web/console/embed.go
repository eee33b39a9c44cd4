package console

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var embedded embed.FS

//go:embed unbuilt.html
var unbuilt []byte

// Built is what Vite made, with index.html at its top; empty if it did not run.
func Built() fs.FS {
	built, err := fs.Sub(embedded, "dist")
	if err != nil {
		panic(err) // the name is a constant
	}
	return built
}
