// The breadcrumbs: the open page and links to its parents. The address holds the whole state, so a copied link opens
// the same view.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { hrefOf, pathParts, query } from "../base/address";
import { shownModel } from "../domain/models/pair";
import { COMPRESSION_PAGES, hrefOfPage, pageOf } from "./pages";
import { Views } from "./Views";

const copied = signal(false);

export async function copyLink(): Promise<void> {
  try {
    await navigator.clipboard.writeText(window.location.href);
    copied.value = true;
    setTimeout(() => (copied.value = false), 1500);
  } catch {
    window.prompt("The address of this view", window.location.href);
  }
}

interface Crumb {
  readonly text: string;
  readonly href?: string;
}

export function crumbs(): Crumb[] {
  const page = pageOf(pathParts.value);
  const trail: Crumb[] = [];
  if (page && COMPRESSION_PAGES.includes(page))
    trail.push({ text: "Overview", href: hrefOf(["overview"], { model: null }) });
  if (shownModel.value !== null && page?.ofModel) trail.push({ text: shownModel.value, href: hrefOf(["compare"]) });
  if (page && page.id !== "overview") trail.push({ text: page.name, href: hrefOfPage(page) });
  for (const key of ["sel", "node", "channel"]) {
    const chosen = query.value.get(key);
    // The address of a chosen tensor is layer, part and parameter, separated by NUL.
    if (chosen !== null)
      trail.push({ text: key === "channel" ? `channel ${chosen}` : [...new Set(chosen.split("\0"))].join(" ").trim() });
  }
  if (trail.length === 1 && page?.id === "overview") trail.push({ text: "All models" });
  return trail;
}

const SHORT = 12; // Steps up to this length are never cut.

export function Crumbs(): JSX.Element {
  const trail = crumbs();
  return (
    <nav class={trail.length > 1 ? "crumbs" : "crumbs alone"} aria-label="Breadcrumb">
      <ol>
        {trail.map((crumb, i) => (
          <li
            key={i}
            class={crumb.text.length <= SHORT ? "short-step" : ""}
            title={crumb.text.length <= SHORT ? undefined : crumb.text}
            aria-current={i === trail.length - 1 ? "page" : undefined}
          >
            {crumb.href && i < trail.length - 1 ? <a href={crumb.href}>{crumb.text}</a> : crumb.text}
          </li>
        ))}
      </ol>
      <Views />
      <button class="link" title="Copy link (y)" onClick={() => void copyLink()}>
        {copied.value ? "Copied" : "Copy link"}
      </button>
    </nav>
  );
}
