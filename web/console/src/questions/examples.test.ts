// @vitest-environment node
import { readdirSync, readFileSync } from "node:fs";
import { buildSchema, parse, validate } from "graphql";
import { expect, test } from "vitest";
import { examples } from "./examples";

const folder = "../../graph/schema/";
const schema = buildSchema(
  readdirSync(folder)
    .filter((name) => name.endsWith(".graphqls"))
    .map((name) => readFileSync(folder + name, "utf8"))
    .join("\n"),
);

test.each(examples())("$title.en", ({ query, title }) => {
  expect(validate(schema, parse(query)).map((error) => error.message)).toEqual([]);
  expect(title.ko).not.toBe(title.en);
});
