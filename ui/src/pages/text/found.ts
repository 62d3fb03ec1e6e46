// Highlights search results in the text below an element, without changing its child elements.
import { useEffect } from "preact/hooks";

const NAME = "found"; // The name of the highlight; text.css defines its look.

export function useFound(root: { current: Element | null }, pattern: string, changes: readonly unknown[]): void {
  useEffect(() => {
    if (pattern === "" || !root.current || typeof Highlight === "undefined") return;
    const all = CSS.highlights.get(NAME) ?? new Highlight();
    CSS.highlights.set(NAME, all);
    const mine = rangesOf(root.current, pattern);
    mine.forEach((range) => all.add(range));
    return () => mine.forEach((range) => all.delete(range));
  }, [pattern, ...changes]);
}

function rangesOf(root: Element, pattern: string): Range[] {
  let expression: RegExp;
  try {
    expression = new RegExp(pattern, "gi");
  } catch {
    return []; // The expression is invalid, because the user is still typing.
  }
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (const match of (node.textContent ?? "").matchAll(expression)) {
      if (match[0] === "") continue;
      const range = new Range();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      ranges.push(range);
    }
  }
  return ranges;
}
