// The pages and their code. The code of a page is loaded when the page is first opened.
import type { ComponentType } from "preact";
import { hrefOf, SHARED } from "../base/address";
import { rememberedQuery } from "../domain/live/page_memory";
import { COMPRESSION_ENTRIES, TENSORBOARD_ENTRIES, type PageEntry, type PageId } from "./page_list";

type Load = () => Promise<{ default: ComponentType }>;

export interface Page extends PageEntry {
  readonly load: Load;
}

const LOADS: Record<PageId, Load> = {
  overview: () => import("../pages/overview/Overview"),
  compare: () => import("../pages/compare/Compare"),
  layers: () => import("../pages/layers/Layers"),
  graph: () => import("../pages/graph/Graph"),
  tuning: () => import("../pages/tuning/Tuning"),
  hardware: () => import("../pages/hardware/Hardware"),
  report: () => import("../pages/report/Report"),
  scalars: () => import("../pages/scalars/Scalars"),
  histograms: () => import("../pages/histograms/Histograms"),
  hparams: () => import("../pages/hparams/HParams"),
  images: () => import("../pages/images/Images"),
  text: () => import("../pages/text/Text"),
  pr: () => import("../pages/pr/PrCurves"),
  custom: () => import("../pages/custom/CustomScalars"),
  projector: () => import("../pages/projector/Projector"),
  audio: () => import("../pages/audio/Audio"),
  mesh: () => import("../pages/mesh/Mesh"),
  files: () => import("../pages/files/Files"),
};

const withCode = (entry: PageEntry & { readonly id: PageId }): Page => ({ ...entry, load: LOADS[entry.id] });

export const COMPRESSION_PAGES: readonly Page[] = COMPRESSION_ENTRIES.map(withCode);
export const TENSORBOARD_PAGES: readonly Page[] = TENSORBOARD_ENTRIES.map(withCode);

export const PAGES: readonly Page[] = [...COMPRESSION_PAGES, ...TENSORBOARD_PAGES];

const views = new Map<string, ComponentType>();

/** The component of the page; undefined until its code is loaded. */
export const viewOf = (page: Page): ComponentType | undefined => views.get(page.id);

export async function loadView(page: Page): Promise<void> {
  if (!views.has(page.id)) views.set(page.id, (await page.load()).default);
}

/** The page at a path such as "/layers". A path has one part, see vite.config.ts. */
export function pageOf(parts: readonly string[]): Page | null {
  if (parts.length === 0) return PAGES[0] ?? null;
  return parts.length === 1 ? (PAGES.find((page) => page.id === parts[0]) ?? null) : null;
}

/**
 * The address of a page with its last state and with the state that all pages share: model, pair, runs and their
 * colours.
 */
export function hrefOfPage(page: Page): string {
  const remembered = Object.fromEntries([...rememberedQuery(page.id)].filter(([key]) => !SHARED.includes(key)));
  return hrefOf([page.id], { ...remembered, ...(page.ofModel ? {} : { model: null }) });
}
