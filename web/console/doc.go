// Package console serves the console: the pages that people look at in a browser,
// from the gateway itself and from nowhere else.
//
// Its source is React and TypeScript, in src. Vite makes dist of it, which is embedded
// and not kept in the repository: `make run`, `make test` and deploy/Dockerfile make it
// first. What Go alone builds, on a machine without Node, is the same program with a
// page in the console's place that says so.
//
//	/                 index.html; so does every other path that a browser opens as a page
//	/assets/…         what Vite named after its content: kept by browsers for ever
//	/documents.json   every document that the console sends, by the SHA-256 of its text
package console
