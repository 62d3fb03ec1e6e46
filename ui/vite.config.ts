import { defineConfig } from "vitest/config";
import { precompressed } from "./tools/precompressed.ts";
import { staticPages } from "./tools/static_pages.ts";
// Every page is one step below the server's path prefix, so relative addresses hold on all of them.
export default defineConfig({
  base: "./",
  plugins: [staticPages(), precompressed()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // The content security policy allows no data: addresses.
    chunkSizeWarningLimit: 260,
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: "shared", minShareCount: 2 }] },
        // Browsers that know it compile a file in the background while it arrives; else every function is
        // compiled when it is first called, while the page waits.
        postBanner: "//# allFunctionsCalledOnLoad",
      },
    },
  },
  test: { include: ["src/**/*.test.ts"] },
});
