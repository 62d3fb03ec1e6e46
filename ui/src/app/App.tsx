// The frame around every page: header, links to all pages, and the open page.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { go, hrefOf, pathParts, setQuery, query } from "../base/address";
import { swapSides } from "../domain/models/pair";
import { status } from "../domain/live/live";
import { Announcer } from "./Announcer";
import { copyLink, crumbs, Crumbs } from "./Crumbs";
import { Header } from "./Header";
import { useKeys } from "../base/keys";
import { KeyHelp } from "./KeyHelp";
import { hrefOfPage, loadView, pageOf, PAGES, viewOf, type Page } from "./pages";
import { Readout } from "../widgets/readout";
import { Palette } from "./Palette";
import { Rail } from "./Rail";
import { cycleTheme } from "../base/theme";

function PageView({ page }: { page: Page }): JSX.Element {
  const [, redraw] = useState(0);
  const [error, setError] = useState<string | null>(null);
  const View = viewOf(page);
  useEffect(() => {
    if (View) return;
    loadView(page).then(
      () => redraw((n) => n + 1),
      () => setError("This part of the page could not be loaded. Reload to get the version the server has now."),
    );
  }, [page.id]);
  if (error) return <p class="panel bad">{error}</p>;
  return View ? <View /> : <div class="panel" aria-busy="true" />;
}

function up(): void {
  for (const key of ["channel", "node", "sel"]) {
    if (query.value.has(key)) return setQuery({ [key]: null });
  }
  const links = crumbs().flatMap((crumb) => crumb.href ?? []);
  const above = links.filter((href) => href !== links.at(-1)).at(-1); // A model and its Compare page share one entry.
  if (above !== undefined) go(above);
}

export function App(): JSX.Element {
  const [menuOpen, setMenuOpen] = useState(false);
  const [overlay, setOverlay] = useState<"help" | "search" | null>(null);
  const page = pageOf(pathParts.value);

  useKeys([
    { key: "/", does: "Search", run: () => setOverlay("search") },
    { key: "ctrl-k", does: "Search", run: () => setOverlay("search") },
    { key: "?", does: "These keys", run: () => setOverlay("help") },
    ...PAGES.filter((p) => p.key).map((p) => ({
      key: `g ${p.key}`,
      does: p.name,
      run: () => go(hrefOfPage(p)),
    })),
    { key: "u", does: "Go one level up", run: up },
    { key: "x", does: "Swap A and B", run: swapSides },
    { key: "d", does: "Theme: system, light, dark", run: cycleTheme },
    { key: "y", does: "Copy a link to this view", run: () => void copyLink() },
  ]);

  const title = status.value?.window_title ?? "Compression Board";
  useEffect(() => {
    document.title = page ? `${page.name} · ${title}` : title;
  }, [page, title]);
  useEffect(() => setMenuOpen(false), [pathParts.value]);

  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <div class="brand">
        <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
          <circle class="mark-a" cx="5" cy="8" r="4" />
          <path class="mark-b" d="M11.5 4.5 15 8l-3.5 3.5L8 8z" />
        </svg>
        <span>Compression Board</span>
      </div>
      <Rail open={menuOpen} />
      <Header
        onMenu={() => setMenuOpen(!menuOpen)}
        menuOpen={menuOpen}
        onSearch={() => setOverlay("search")}
        onHelp={() => setOverlay("help")}
      />
      <Crumbs />
      <main id="main" tabIndex={-1} onClick={() => menuOpen && setMenuOpen(false)}>
        {page ? <PageView key={page.id} page={page} /> : <NotFound />}
      </main>
      <Readout />
      <Announcer />
      {overlay === "help" && <KeyHelp onClose={() => setOverlay(null)} />}
      {overlay === "search" && <Palette onClose={() => setOverlay(null)} />}
    </>
  );
}

function NotFound(): JSX.Element {
  return (
    <div class="empty">
      <h1>There is no such page</h1>
      <p>
        The last part of the address is <span class="mono">{`/${pathParts.value.join("/")}`}</span>, which is not the
        name of a page.
      </p>
      <p>
        <a class="link" href={hrefOf(["overview"], { model: null })}>
          Go to the overview
        </a>
      </p>
    </div>
  );
}
