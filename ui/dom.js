// Elements and number formats. All text goes in as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on"))
      element.addEventListener(name.slice(2), value);
    else
      element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter(
    (child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** html("td", {class: "num"}, "1.5") */
export function html(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

const MINUS = "−";
const signed = (text) => text.replace(/^-/, MINUS);

/** 0.5 -> "0.50", -0.001 with 2 digits -> "0.00", never "−0.00". */
export function fixed(value, digits = 2) {
  if (value === null) return "–";
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : `${MINUS}∞`;
  const text = value.toFixed(digits);
  return signed(Number(text) === 0 ? (0).toFixed(digits) : text);
}

/** Three significant digits, for quantities of any size: 0.0123, 1.23, 123, 1,234. */
export function compact(value) {
  if (value === null) return "–";
  if (!Number.isFinite(value)) return fixed(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) return signed(value.toExponential(2));
  if (size >= 100) return signed(value.toLocaleString("en", {maximumFractionDigits: 0}));
  return signed(String(Number(value.toPrecision(3))));
}

export const times = (value) => (value === null ? "–" : `${fixed(value)}×`);
export const count = (value) => value.toLocaleString("en");
export const plural = (value, one, many = `${one}s`) =>
  `${count(value)} ${value === 1 ? one : many}`;
