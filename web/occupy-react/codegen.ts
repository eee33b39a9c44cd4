import type { CodegenConfig } from "@graphql-codegen/cli";

// Types only from the schema. Documents are texts: nothing here has to parse them.
const config: CodegenConfig = {
  schema: "../../graph/schema/*.graphqls",
  documents: ["src/*.graphql"],
  generates: {
    "src/graph/": {
      preset: "client",
      presetConfig: { fragmentMasking: false },
      config: {
        documentMode: "string",
        scalars: { Long: "string", Time: "string" },
        strictScalars: true,
        onlyOperationTypes: true, // not the types that no document here asks for
        enumsAsTypes: true,
        useTypeImports: true,
        avoidOptionals: { field: true },
        dedupeFragments: true,
      },
    },
  },
  emitLegacyCommonJSImports: false,
  silent: true,
};

export default config;
