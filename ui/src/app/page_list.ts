// The pages in the order of the rail (the list of links), with all properties of a page that are known without its
// code. The build also reads this list, and writes an HTML file for each page (tools/static_pages.ts).

export interface PageEntry {
  readonly id: string;
  readonly name: string;
  readonly key: string; // The second key of the shortcut "g <key>" that opens the page.
  readonly icon: string; // An SVG path in a box of 16 x 16.
  /** True if the page shows only the selected model, if there is one. All other pages always show all models. */
  readonly ofModel?: boolean;
  /** Whether few users log this kind of data. If so, the rail shows the page only if data exists. */
  readonly rare?: boolean;
  /** The first requests of the page, relative to api/v1/. They are sent while the page's code is still loading. */
  readonly asks?: readonly string[];
}

/** The requests of every page: the frame shows the state of the board and the compared pair. */
export const EVERY_PAGE_ASKS: readonly string[] = ["status", "compression/table"];

export const COMPRESSION_ENTRIES = [
  { id: "overview", name: "Overview", key: "o", icon: "M2.5 13.5h11M4 11l3-5 3 2.5L13.5 3" },
  { id: "compare", name: "Compare", key: "c", icon: "M3 13V6h3.5v7M9.5 13V3H13v10", ofModel: true },
  {
    id: "layers",
    name: "Layers",
    key: "l",
    icon: "M2.5 4h11M2.5 8h7.5M2.5 12h4",
    ofModel: true,
    asks: ["compression/sides"],
  },
  {
    id: "graph",
    name: "Graph",
    key: "g",
    icon: "M6 2.5h4v3H6zM2.5 10.5h4v3h-4zM9.5 10.5h4v3h-4zM8 5.5V8M4.5 10.5V8h7v2.5",
    ofModel: true,
    asks: ["graphs", "compression/stages"],
  },
  {
    id: "tuning",
    name: "Tuning",
    key: "t",
    icon: "M3 13V9M8 13V3M13 13V6M1.5 9h3M6.5 6h3M11.5 8.5h3",
    ofModel: true,
    asks: ["compression/tuning"],
  },
  {
    id: "hardware",
    name: "Hardware",
    key: "w",
    icon: "M4.5 4.5h7v7h-7zM6.5 4.5v-2M9.5 4.5v-2M6.5 13.5v-2M9.5 13.5v-2M4.5 6.5h-2M4.5 9.5h-2M13.5 6.5h-2M13.5 9.5h-2",
    asks: ["tags?kind=scalar"],
  },
  { id: "report", name: "Report", key: "r", icon: "M4 2.5h5.5L12.5 5.5V13.5H4zM9.5 2.5V5.5h3M6 8h4.5M6 10.5h4.5" },
] as const satisfies readonly PageEntry[];

export const TENSORBOARD_ENTRIES = [
  {
    id: "scalars",
    name: "Scalars",
    key: "s",
    icon: "M2 13.5h12M2.5 4c2 6.5 5 7 11 7",
    asks: ["tags?kind=scalar&ranges=1"],
  },
  {
    id: "histograms",
    name: "Histograms",
    key: "h",
    icon: "M2 13.5h12M4 13V9.5M6.7 13V5M9.3 13V3M12 13V8",
    asks: ["tags?kind=histogram"],
  },
  { id: "hparams", name: "HParams", key: "p", icon: "M3 2.5v11M8 2.5v11M13 2.5v11M3 5l5 6 5-7M3 11l5-6 5 5" },
  {
    id: "images",
    name: "Images",
    key: "i",
    icon: "M2.5 3h11v10h-11zM2.5 11l3.5-3.5 3 3 2-2 2.5 2.5",
    asks: ["tags?kind=image"],
  },
  { id: "text", name: "Text", key: "e", icon: "M3 3.5h10M8 3.5V13", asks: ["tags?kind=text"] },
  {
    id: "pr",
    name: "PR curves",
    key: "v",
    icon: "M2.5 2.5v11h11M3 4h3.5c3.5 0 5 3 6 8.5",
    rare: true,
    asks: ["tags?kind=pr_curve"],
  },
  {
    id: "custom",
    name: "Custom",
    key: "x",
    icon: "M2.5 2.5h4.5v4.5h-4.5zM9 2.5h4.5v4.5h-4.5zM2.5 9h4.5v4.5h-4.5zM9 11.5l1.5-2 1.5 1.5 1.5-2",
    rare: true,
    asks: ["tags?kind=scalar", "layouts"],
  },
  {
    id: "projector",
    name: "Projector",
    key: "j",
    icon: "M4 11h.01M6 6h.01M9 9h.01M11 4h.01M12.5 8h.01M8 12.5h.01M2.5 13.5v-11",
    rare: true,
    asks: ["embeddings"],
  },
  {
    id: "audio",
    name: "Audio",
    key: "a",
    icon: "M3 6.5v3M6 4v8M9 5.5v5M12 3v10",
    rare: true,
    asks: ["tags?kind=audio"],
  },
  {
    id: "mesh",
    name: "Mesh",
    key: "m",
    icon: "M8 2l5.5 3v6L8 14l-5.5-3V5zM2.5 5L8 8l5.5-3M8 8v6",
    rare: true,
    asks: ["tags?kind=mesh"],
  },
  { id: "files", name: "Files", key: "f", icon: "M2.5 4.5h4l1.5 1.5h5.5v7h-11zM2.5 8.5h11", asks: ["runs"] },
] as const satisfies readonly PageEntry[];

export const RARE_IDS: ReadonlySet<string> = new Set(
  TENSORBOARD_ENTRIES.filter((entry: PageEntry) => entry.rare).map(({ id }) => id),
);

export type PageId = (typeof COMPRESSION_ENTRIES | typeof TENSORBOARD_ENTRIES)[number]["id"];
