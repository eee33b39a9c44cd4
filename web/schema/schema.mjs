// Holds the schema against what those who live from it want of it.
//
//	node schema.mjs check [FOLDER]  by a linter's rules and Relay's, the snapshot, and a code generator
//	node schema.mjs snapshot        writes down what callers may rely on from now on
//
// The snapshot is what callers were promised. What is added to the schema is no breach of it; what
// is taken away or made narrower is, until it is meant.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { buildSchema, lexicographicSortSchema, parse, printSchema } from "graphql";

const root = join(import.meta.dirname, "../..");
const snapshot = join(root, "graph/snapshot.graphql");
const folder = process.argv[3] ?? join(root, "graph/schema");

const files = readdirSync(folder).filter((f) => f.endsWith(".graphqls")).sort().map((f) => join(folder, f));
const schema = buildSchema(files.map((f) => readFileSync(f, "utf8")).join("\n"));
const printed = printSchema(lexicographicSortSchema(schema)) + "\n";

// Where we differ from the presets.
const ours = {
  // One line for a short description, a block for a long one.
  "@graphql-eslint/description-style": "off",
  // Only what `node` finds has an id: a payload, a page or a holder is not a thing of its own.
  "@graphql-eslint/strict-id-in-types": "off",
  // For the same reason an edge's node need not implement Node; and there are lists that are short
  // and never paged through, and `nodes` beside the edges. Relay asks for neither.
  "@graphql-eslint/relay-edge-types": ["error", { withEdgeSuffix: true, shouldImplementNode: false, listTypeCanWrapOnlyEdgeType: false }],
};

async function lint() {
  const { ESLint } = await import("eslint");
  const { default: plugin } = await import("@graphql-eslint/eslint-plugin");
  const eslint = new ESLint({
    cwd: folder,
    overrideConfigFile: true,
    overrideConfig: [{
      files: ["**/*.graphqls"],
      languageOptions: { parser: plugin.parser, parserOptions: { graphQLConfig: { schema: files } } },
      plugins: { "@graphql-eslint": plugin },
      linterOptions: { reportUnusedDisableDirectives: "error" },
      rules: { ...plugin.configs["flat/schema-recommended"].rules, ...plugin.configs["flat/schema-relay"].rules, ...ours },
    }],
  });
  const results = await eslint.lintFiles(files);
  return results.flatMap((r) => r.messages.map((m) => `${relative(folder, r.filePath)}:${m.line}: ${m.message} (${m.ruleId})`));
}

async function breaches() {
  const { diff, CriticalityLevel } = await import("@graphql-inspector/core");
  const changes = await diff(buildSchema(readFileSync(snapshot, "utf8")), schema);
  return changes
    .filter((c) => c.criticality.level === CriticalityLevel.Breaking)
    .map((c) => `graph/snapshot.graphql promised otherwise: ${c.message}. If that is meant: make snapshot`);
}

async function generate() {
  const { codegen } = await import("@graphql-codegen/core");
  const typescript = await import("@graphql-codegen/typescript");
  const types = await codegen({
    filename: "schema.ts",
    documents: [],
    schema: parse(printed),
    config: { scalars: { Time: "string", Long: "string" }, strictScalars: true },
    plugins: [{ typescript: {} }],
    pluginMap: { typescript: typescript.default ?? typescript },
  });
  return Object.keys(schema.getTypeMap())
    .filter((name) => !name.startsWith("__") && !types.includes(name))
    .map((name) => `graphql-codegen writes no type ${name}`);
}

switch (process.argv[2]) {
  case "check": {
    const faults = (await Promise.all([lint(), breaches(), generate()])).flat();
    console.log(faults.length ? faults.join("\n") : "ok");
    process.exitCode = faults.length ? 1 : 0;
    break;
  }
  case "snapshot":
    writeFileSync(snapshot, printed);
    break;
  default:
    console.error("node schema.mjs check [FOLDER] | snapshot");
    process.exitCode = 2;
}
