// Copies HTML that the server rendered from a user's Markdown into elements. Only allowed elements and attributes are
// copied, so no script can run even if the server does not remove it.
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

// The heading levels of the text are lowered, because the page and the card have headings above the text.
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
  // A parsed document that runs no scripts and loads no resources.
  const { body } = new DOMParser().parseFromString(html, "text/html");
  return [...body.childNodes].map(copyOf);
}
