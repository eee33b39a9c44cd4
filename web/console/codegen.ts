import type { CodegenConfig } from "@graphql-codegen/cli";

// Types only from the schema. Long and Time travel as strings; every document's hash and text
// are written to persisted-documents.json, for gateways that carry out known documents only.
const config: CodegenConfig = {
  schema: "../../graph/schema/*.graphqls",
  documents: ["src/**/*.{ts,tsx}", "!src/graph/**"],
  generates: {
    "src/graph/": {
      preset: "client",
      presetConfig: { fragmentMasking: { unmaskFunctionName: "readFragment" }, persistedDocuments: { hashAlgorithm: "sha256" } },
      config: {
        scalars: { Long: "string", Time: "string" },
        strictScalars: true,
        enumsAsTypes: true,
        useTypeImports: true,
        avoidOptionals: { field: true },
      },
    },
  },
  silent: true,
};

export default config;
