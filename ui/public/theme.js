// Runs before the first paint, so that a chosen theme never flashes the other one, and pages that had
// nothing to show the last time are not seen before they are folded away (src/domain/live/contents.ts).
let empty = null;
try {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  empty = localStorage.getItem("empty pages");
} catch {
  // Storage is closed to us: the system's theme is used.
}
const frame = new CSSStyleSheet();
frame.replaceSync(
  empty === null
    ? "html:not([data-drawn]) .rail > * { visibility: hidden; }"
    : (empty.match(/[a-z]+/g) ?? [])
        .map((id) => `html:not([data-drawn]) .rail a[href="${id}"]:not([aria-current]) { display: none; }`)
        .join(" "),
);
document.adoptedStyleSheets = [frame];
// If the page's own script does not come, its links are all there is.
setTimeout(() => (document.documentElement.dataset.drawn = ""), 3000);
