// HTML that a server made of somebody's Markdown, as elements: only what a text needs is copied, so
// that nothing else could run even if the server let it through.
import { h, type ComponentChild } from "preact";

const COPIED = new Set([
  "BLOCKQUOTE",
  "BR",
  "CODE",
  "DEL",
  "EM",
  "HR",
  "LI",
  "OL",
  "P",
  "PRE",
  "STRONG",
  "TABLE",
  "TBODY",
  "TD",
  "TH",
  "THEAD",
  "TR",
  "UL",
]);

// The page has a heading of its own, and cards below it: a text's largest heading comes after both.
const HEADINGS: Readonly<Record<string, string>> = { H1: "h3", H2: "h4", H3: "h5", H4: "h6", H5: "h6", H6: "h6" };

function copyOf(node: Node): ComponentChild {
  if (node.nodeType === Node.TEXT_NODE) return node.textContent;
  if (!(node instanceof Element)) return null;
  if (node.matches("script, style, template")) return null;
  const children = [...node.childNodes].map(copyOf);
  const heading = HEADINGS[node.tagName];
  if (heading !== undefined) return h(heading, null, ...children);
  const address = node.tagName === "A" ? node.getAttribute("href") : null;
  if (address !== null && /^https?:\/\//i.test(address))
    return h("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, ...children);
  return COPIED.has(node.tagName) ? h(node.tagName.toLowerCase(), null, ...children) : children;
}

export function elementsOf(html: string): ComponentChild[] {
  const { body } = new DOMParser().parseFromString(html, "text/html"); // Runs nothing, loads nothing.
  return [...body.childNodes].map(copyOf);
}
