// Compresses scripts and styles while they are built, so that no visitor waits for it:
// shared.js -> shared.js.gz beside it.
import type { Plugin } from "vite";

const LEAST_BYTES = 1024; // Shorter files fit into one packet anyway.

async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

export function precompressed(): Plugin {
  return {
    name: "precompressed",
    apply: "build",
    enforce: "post",
    // The last to see the bundle, so that the bytes are those that are written.
    generateBundle: {
      order: "post",
      async handler(_, bundle) {
        for (const file of Object.values(bundle)) {
          if (!/\.(js|css)$/.test(file.fileName)) continue;
          const bytes = new TextEncoder().encode(file.type === "chunk" ? file.code : String(file.source));
          if (bytes.length >= LEAST_BYTES)
            this.emitFile({ type: "asset", fileName: `${file.fileName}.gz`, source: await gzip(bytes) });
        }
      },
    },
  };
}
