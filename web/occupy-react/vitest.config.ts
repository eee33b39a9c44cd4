import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const older = (name: string) => fileURLToPath(new URL(`test/react-18/node_modules/${name}`, import.meta.url));
const inline = [/testing-library/];

// What depends on React runs on both versions that the package is for.
export default defineConfig({
  test: {
    projects: [
      { test: { name: "react-19", environment: "jsdom", include: ["test/*.test.{ts,tsx}"] } },
      {
        test: { name: "react-18", environment: "jsdom", include: ["test/*.test.tsx"], server: { deps: { inline } } },
        resolve: { alias: Object.fromEntries(["react", "react-dom", "@testing-library/react"].map((name) => [name, older(name)])) },
      },
    ],
  },
});
