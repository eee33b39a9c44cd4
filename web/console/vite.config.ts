import react from "@vitejs/plugin-react";
import type { BuildOptions } from "vite";
import { defineConfig } from "vitest/config";

// `npm run dev` shows the console beside a gateway of `make run`; that one is asked as if by its own page.
const gateway = process.env.OCCUPY ?? "http://127.0.0.1:8080";
const proxy = { target: gateway, ws: true, changeOrigin: true, headers: { origin: gateway } };

// GraphiQL brings typefaces of its own; ours are those of the machine.
const noTypefaces = {
  name: "no-typefaces",
  enforce: "pre",
  transform: (code: string, id: string) => (id.endsWith("graphiql/dist/style.css") ? code.replace(/@font-face\s*\{[^}]*\}/g, "") : null),
} as const;

// GraphiQL's own marks for React's compiler are of no use to us, and not worth a page of warnings.
const onwarn: NonNullable<NonNullable<BuildOptions["rolldownOptions"]>["onwarn"]> = (warning, warn) => {
  if (warning.code !== "MODULE_LEVEL_DIRECTIVE") warn(warning);
};

export default defineConfig({
  plugins: [react(), noTypefaces],
  server: { proxy: { "/graphql": proxy, "/export": proxy } },
  build: { target: "es2022", manifest: "parts.json", modulePreload: { polyfill: false }, chunkSizeWarningLimit: 2000, assetsInlineLimit: 0, rolldownOptions: { onwarn } },
  test: { environment: "jsdom", include: ["src/**/*.test.{ts,tsx}"], restoreMocks: true },
});
