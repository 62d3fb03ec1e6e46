import { defineConfig } from "vitest/config";
// Every page is one step below the server's path prefix, so relative addresses hold on all of them.
export default defineConfig({
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // The content security policy allows no data: addresses.
    chunkSizeWarningLimit: 260,
  },
  test: { include: ["src/**/*.test.ts"] },
});
