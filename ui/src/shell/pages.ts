// The pages, in the order of the rail. Each is loaded when it is first opened.
import type { ComponentType } from "preact";
import { hrefOf } from "../state/location";

export interface Page {
  readonly id: string;
  readonly name: string;
  readonly key: string; // After "g".
  readonly icon: string; // An SVG path in a 16 x 16 box.
  /** Whether it shows one model when one is chosen; the other pages are about all of them. */
  readonly ofModel?: boolean;
  readonly load: () => Promise<{ default: ComponentType }>;
}

export const COMPRESSION_PAGES: readonly Page[] = [
  { id: "overview", name: "Overview", key: "o", icon: "M2.5 13.5h11M4 11l3-5 3 2.5L13.5 3",
    load: () => import("../pages/overview/Overview") },
  { id: "compare", name: "Compare", key: "c", icon: "M3 13V6h3.5v7M9.5 13V3H13v10",
    ofModel: true, load: () => import("../pages/compare/Compare") },
  { id: "layers", name: "Layers", key: "l", icon: "M2.5 4h11M2.5 8h7.5M2.5 12h4",
    ofModel: true, load: () => import("../pages/layers/Layers") },
  { id: "graph", name: "Graph", key: "g", icon: "M6 2.5h4v3H6zM2.5 10.5h4v3h-4zM9.5 10.5h4v3h-4zM8 5.5V8M4.5 10.5V8h7v2.5",
    ofModel: true, load: () => import("../pages/graph/Graph") },
  { id: "tuning", name: "Tuning", key: "t", icon: "M3 13V9M8 13V3M13 13V6M1.5 9h3M6.5 6h3M11.5 8.5h3",
    ofModel: true, load: () => import("../pages/tuning/Tuning") },
  { id: "hardware", name: "Hardware", key: "w", icon: "M4.5 4.5h7v7h-7zM6.5 4.5v-2M9.5 4.5v-2M6.5 13.5v-2M9.5 13.5v-2M4.5 6.5h-2M4.5 9.5h-2M13.5 6.5h-2M13.5 9.5h-2",
    load: () => import("../pages/hardware/Hardware") },
  { id: "report", name: "Report", key: "r", icon: "M4 2.5h5.5L12.5 5.5V13.5H4zM9.5 2.5V5.5h3M6 8h4.5M6 10.5h4.5",
    load: () => import("../pages/report/Report") },
];

export const TENSORBOARD_PAGES: readonly Page[] = [
  { id: "scalars", name: "Scalars", key: "s", icon: "M2 13.5h12M2.5 4c2 6.5 5 7 11 7",
    load: () => import("../pages/scalars/Scalars") },
  { id: "histograms", name: "Histograms", key: "h", icon: "M2 13.5h12M4 13V9.5M6.7 13V5M9.3 13V3M12 13V8",
    load: () => import("../pages/histograms/Histograms") },
  { id: "hparams", name: "HParams", key: "p", icon: "M3 2.5v11M8 2.5v11M13 2.5v11M3 5l5 6 5-7M3 11l5-6 5 5",
    load: () => import("../pages/hparams/HParams") },
  { id: "images", name: "Images", key: "i", icon: "M2.5 3h11v10h-11zM2.5 11l3.5-3.5 3 3 2-2 2.5 2.5",
    load: () => import("../pages/images/Images") },
  { id: "text", name: "Text", key: "e", icon: "M3 3.5h10M8 3.5V13",
    load: () => import("../pages/text/Text") },
  { id: "files", name: "Files", key: "f", icon: "M2.5 4.5h4l1.5 1.5h5.5v7h-11zM2.5 8.5h11",
    load: () => import("../pages/files/Files") },
];

export const PAGES: readonly Page[] = [...COMPRESSION_PAGES, ...TENSORBOARD_PAGES];

/** The page at a path: "/layers". Paths are one step deep, see vite.config.ts. */
export function pageOf(parts: readonly string[]): Page | null {
  if (parts.length === 0) return PAGES[0] ?? null;
  return parts.length === 1 ? (PAGES.find((page) => page.id === parts[0]) ?? null) : null;
}

/** The address of a page, with what pages share: the model, the pair, the filter of runs. */
export function hrefOfPage(page: Page): string {
  return hrefOf([page.id], page.ofModel ? {} : { model: null });
}
