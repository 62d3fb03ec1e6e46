// SVG paths of icons, in a box of 16 x 16. The build uses them, too (tools/static_pages.ts).

export const ICONS = {
  menu: "M2.5 4h11M2.5 8h11M2.5 12h11",
  swap: "M3 6h10l-3-3M13 10H3l3 3",
  moon: "M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7",
  auto: "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12z",
  help: "M6 6a2 2 0 1 1 3 1.7c-.6.4-1 .8-1 1.6M8 12h.01",
  plus: "M8 3v10M3 8h10",
  pin: "M8 10v4M5 2.5h6M6 2.5v4L4.5 9.5h7L10 6.5v-4",
  wide: "M3 6V3h3M13 10v3h-3M10 3h3v3M6 13H3v-3",
  rest: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  more: "M8 3.5h.01M8 8h.01M8 12.5h.01",
} as const;
