// Saves charts as SVG files that look the same without the page's stylesheets.
import { fileName, saveAs } from "../text/csv";

const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linejoin",
  "opacity",
  "font",
  "paint-order",
  "shape-rendering",
  "visibility",
];

const TITLE_ROOM = 28;

/** The drawing with all styles inlined, below its title, on the background colour of the current theme. */
export function standaloneSvg(drawing: SVGSVGElement, title: string): string {
  const copy = drawing.cloneNode(true);
  if (!(copy instanceof SVGSVGElement)) throw new Error("a copied drawing is not a drawing");
  const [from, to] = [drawing.querySelectorAll("*"), copy.querySelectorAll("*")];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    const target = to[i];
    if (!(target instanceof SVGElement)) return;
    for (const name of STYLES) target.style.setProperty(name, style.getPropertyValue(name));
    for (const attribute of ["class", "tabindex", "role", "aria-label"]) target.removeAttribute(attribute);
  });
  const { width, height } = drawing.getBoundingClientRect();
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", `0 ${-TITLE_ROOM} ${width} ${height + TITLE_ROOM}`);
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height + TITLE_ROOM));
  copy.removeAttribute("class");
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  paper.setAttribute("y", String(-TITLE_ROOM));
  paper.setAttribute("width", "100%");
  paper.setAttribute("height", "100%");
  paper.setAttribute("fill", getComputedStyle(document.querySelector("#app") ?? document.body).backgroundColor);
  const page = getComputedStyle(document.querySelector("#app") ?? document.body);
  const heading = document.createElementNS("http://www.w3.org/2000/svg", "text");
  heading.setAttribute("x", "8");
  heading.setAttribute("y", String(18 - TITLE_ROOM));
  heading.style.setProperty("font", `600 13px ${page.fontFamily}`);
  heading.style.setProperty("fill", page.color);
  heading.textContent = title;
  copy.prepend(paper, heading);
  return new XMLSerializer().serializeToString(copy);
}

/** Saves the drawing as a file; `name` has no ".svg". */
export function saveSvg(name: string, text: string): void {
  saveAs(fileName(name, "svg"), text, "image/svg+xml");
}
