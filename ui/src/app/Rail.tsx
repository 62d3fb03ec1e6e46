import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { foldedIds } from "../domain/live/folding";
import { emptyPages } from "../domain/live/contents";
import { pathParts } from "../base/address";
import { Icon, ICONS } from "../widgets/icons";
import { RARE_IDS } from "./page_list";
import { COMPRESSION_PAGES, hrefOfPage, pageOf, PAGES, TENSORBOARD_PAGES, type Page } from "./pages";

function RailLink({ page }: { page: Page }): JSX.Element {
  const here = pageOf(pathParts.value) === page;
  return (
    <a href={hrefOfPage(page)} title={page.name} aria-current={here ? "page" : undefined}>
      <Icon d={page.icon} />
      <span>{page.name}</span>
      {page.key && <kbd>g {page.key}</kbd>}
    </a>
  );
}

/** The links to all pages. On narrow screens they are in a drawer. Pages without data are behind "More". */
export function Rail({ open }: { open: boolean }): JSX.Element {
  const [more, setMore] = useState(false);
  const empty = emptyPages.value;
  const folded = foldedIds(
    PAGES.map((page) => page.id),
    RARE_IDS,
    empty,
    pageOf(pathParts.value)?.id ?? null,
  );
  const links = (pages: readonly Page[]): JSX.Element[] => pages.map((page) => <RailLink key={page.id} page={page} />);
  const group = (name: string, pages: readonly Page[]): JSX.Element | null => {
    const shown = pages.filter((page) => !folded.has(page.id));
    return shown.length === 0 ? null : (
      <>
        <h2>{name}</h2>
        {links(shown)}
      </>
    );
  };
  return (
    <nav class={`rail${open ? " open" : ""}${empty === null ? " waiting" : ""}`} id="rail" aria-label="Pages">
      {group("Compression", COMPRESSION_PAGES)}
      {group("TensorBoard", TENSORBOARD_PAGES)}
      {folded.size > 0 && (
        <>
          <button
            class="rail-more"
            aria-expanded={more}
            aria-controls="rail-more"
            title="Show or hide pages without data"
            onClick={() => setMore(!more)}
          >
            <Icon d={ICONS.rest} />
            <span>{more ? "Less" : "More"}</span>
          </button>
          <div id="rail-more" hidden={!more}>
            {links(PAGES.filter((page) => folded.has(page.id)))}
          </div>
        </>
      )}
    </nav>
  );
}
