import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// `npm run dev` shows the console beside a gateway of `make run`; that one is asked as if by its own page.
const gateway = process.env.OCCUPY ?? "http://127.0.0.1:8080";
const proxy = { target: gateway, ws: true, changeOrigin: true, headers: { origin: gateway } };

export default defineConfig({
  plugins: [react()],
  server: { proxy: { "/graphql": proxy, "/export": proxy } },
  build: { target: "es2022", modulePreload: { polyfill: false }, chunkSizeWarningLimit: 2000, assetsInlineLimit: 0 },
  test: { environment: "jsdom", include: ["src/**/*.test.{ts,tsx}"], restoreMocks: true },
});
