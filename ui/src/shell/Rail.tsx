import type { JSX } from "preact";
import { pathParts } from "../state/location";
import { Icon } from "./icons";
import { COMPRESSION_PAGES, hrefOfPage, pageOf, TENSORBOARD_PAGES, type Page } from "./pages";

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

/** On narrow screens a drawer. */
export function Rail({ open }: { open: boolean }): JSX.Element {
  return (
    <nav class={`rail${open ? " open" : ""}`} id="rail" aria-label="Pages">
      <h2>Compression</h2>
      {COMPRESSION_PAGES.map((page) => <RailLink key={page.id} page={page} />)}
      <h2>TensorBoard</h2>
      {TENSORBOARD_PAGES.map((page) => <RailLink key={page.id} page={page} />)}
    </nav>
  );
}
