// An HTML file for every page, written by the build, so that the browser paints the frame before any
// script has arrived, and sends for a page's code and first answers at once instead of one after the
// other:
//
//   scalars.html = index.html + rail, with Scalars marked + links to what Scalars will load
//
// index.html itself is for addresses that no page has.
import type { Plugin } from "vite";
import { COMPRESSION_ENTRIES, EVERY_PAGE_ASKS, TENSORBOARD_ENTRIES, type PageEntry } from "../src/app/page_list.ts";
import { ICONS } from "../src/widgets/icon_paths.ts";

/** A file with code, as far as the bundler's type is needed here. */
interface Chunk {
  readonly type: "chunk";
  readonly fileName: string;
  readonly facadeModuleId: string | null;
  readonly imports: readonly string[];
  readonly viteMetadata?: { readonly importedCss: ReadonlySet<string> };
}
type Bundle = Readonly<Record<string, Chunk | { readonly type: "asset"; source: string | Uint8Array }>>;

// The same elements that Rail.tsx and App.tsx draw, which take over these; a test compares.
const icon = (path: string): string =>
  `<svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" ` +
  `stroke-width="1.25" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${path}" /></svg>`;

function railLink(page: PageEntry, current: PageEntry | null): string {
  const here = page === current ? ' aria-current="page"' : "";
  return `<a href="${page.id}" title="${page.name}"${here}>${icon(page.icon)}<span>${page.name}</span><kbd>g ${page.key}</kbd></a>`;
}

function frame(current: PageEntry | null): string {
  const isFolded = (page: PageEntry): boolean => page.rare === true && page !== current;
  const links = (pages: readonly PageEntry[]): string => pages.map((page) => railLink(page, current)).join("");
  const shown = (pages: readonly PageEntry[]): string => links(pages.filter((page) => !isFolded(page)));
  const more =
    `<button class="rail-more" aria-expanded="false" aria-controls="rail-more" title="Show or hide pages without data">${icon(ICONS.rest)}<span>More</span></button>` +
    `<div id="rail-more" hidden>${links(TENSORBOARD_ENTRIES.filter(isFolded))}</div>`;
  return (
    `<a class="skip" href="#main">Skip to content</a><div class="brand"><svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true"><circle class="mark-a" cx="5" cy="8" r="4" />` +
    `<path class="mark-b" d="M11.5 4.5 15 8l-3.5 3.5L8 8z" /></svg><span>Compression Board</span></div>` +
    `<nav class="rail" id="rail" aria-label="Pages"><h2>Compression</h2>${shown(COMPRESSION_ENTRIES)}<h2>TensorBoard</h2>${shown(TENSORBOARD_ENTRIES)}${more}</nav>` +
    `<header class="header"></header><nav class="crumbs" aria-label="Breadcrumb"></nav><main id="main" tabindex="-1"></main>`
  );
}

/** The files with the code of a page and all that it imports. */
function codeOf(page: PageEntry, bundle: Bundle): string[] {
  const folder = `/src/pages/${page.id}/`;
  const first = Object.values(bundle).find(
    (file): file is Chunk => file.type === "chunk" && (file.facadeModuleId?.includes(folder) ?? false),
  );
  if (!first) throw new Error(`no code for the page "${page.id}"; its folder must be src/pages/${page.id}`);
  const found = new Set([first.fileName]);
  for (const name of found) {
    const file = bundle[name];
    if (file?.type === "chunk") file.imports.forEach((imported) => found.add(imported));
  }
  return [...found];
}

/** The style sheets that these files import. */
function stylesOf(files: readonly string[], bundle: Bundle): string[] {
  return files.flatMap((name) => {
    const file = bundle[name];
    return file?.type === "chunk" ? [...(file.viteMetadata?.importedCss ?? [])] : [];
  });
}

function htmlOf(page: PageEntry, index: string, bundle: Bundle): string {
  const code = codeOf(page, bundle);
  const links = [
    ...stylesOf(code, bundle)
      .filter((file) => !index.includes(file))
      .map((file) => `<link rel="stylesheet" crossorigin href="./${file}">`),
    ...code
      .filter((file) => !index.includes(file))
      .map((file) => `<link rel="modulepreload" crossorigin href="./${file}">`),
    ...[...EVERY_PAGE_ASKS, ...(page.asks ?? [])].map(
      (route) => `<link rel="preload" as="fetch" crossorigin href="./api/v1/${route.replaceAll("&", "&amp;")}">`,
    ),
  ];
  return index
    .replace("<title>", `<title>${page.name} · `)
    .replace("</head>", `${links.map((link) => `  ${link}\n  `).join("")}</head>`)
    .replace('<div id="app"></div>', `<div id="app">${frame(page)}</div>`);
}

export function staticPages(): Plugin {
  return {
    name: "static-pages",
    apply: "build",
    enforce: "post", // After index.html is complete.
    generateBundle(_, files) {
      const bundle: Bundle = files;
      const index = bundle["index.html"];
      if (index?.type !== "asset") throw new Error("the build made no index.html");
      const html = String(index.source);
      for (const page of [...COMPRESSION_ENTRIES, ...TENSORBOARD_ENTRIES]) {
        this.emitFile({ type: "asset", fileName: `${page.id}.html`, source: htmlOf(page, html, bundle) });
      }
      index.source = html.replace('<div id="app"></div>', `<div id="app">${frame(null)}</div>`);
    },
  };
}
