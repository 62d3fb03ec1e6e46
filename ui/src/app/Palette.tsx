// The search over pages, models, layers and tags. A match contains the typed letters in order; letters that are close
// together rank first.
import { type Tags, tagsShape } from "../api/board";
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { getJson } from "../api/client";
import { go, hrefOf } from "../base/address";
import { comparison } from "../domain/models/pair";
import { useResource } from "../domain/live/resource";
import { layersOfTags } from "../domain/layers/layers_of_tags";
import { literally } from "../base/text/matching";
import { bestMatches } from "../base/text/search";
import { Dialog } from "../widgets/Dialog";
import { hrefOfPage, PAGES } from "./pages";

interface Target {
  readonly text: string;
  readonly kind: string;
  readonly href: string;
}

function targetsOf(tags: Tags | null): Target[] {
  const pages = PAGES.map((page) => ({ text: page.name, kind: "page", href: hrefOfPage(page) }));
  const models = (comparison.value?.models ?? []).map((m) => ({
    text: m.name,
    kind: "model",
    href: hrefOf(["compare"], { model: m.name }),
  }));
  const scalars = tags
    ? tags.names.flatMap((name, i) =>
        tags.kinds[i] === "scalar"
          ? [{ text: name, kind: "scalar", href: hrefOf(["scalars"], { tag: `^${literally(name)}$` }) }]
          : [],
      )
    : [];
  const layers = layersOfTags(tags?.names ?? []).map(({ model, layer }) => ({
    text: layer,
    kind: model === null ? "layer" : `layer of ${model}`,
    href: hrefOf(["layers"], model === null ? { sel: layer } : { model, sel: layer }),
  }));
  return [...pages, ...models, ...layers, ...scalars];
}

export function Palette({ onClose }: { onClose: () => void }): JSX.Element {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const tags = useResource("palette-tags", (signal) => getJson(tagsShape, "tags", {}, signal)).state.value.data;
  const targets = useMemo(() => targetsOf(tags), [tags, comparison.value]);
  const found = useMemo(() => bestMatches(text, targets, (target) => target.text, 12), [text, targets]);

  const open = (target: Target | undefined): void => {
    if (!target) return;
    onClose();
    go(target.href);
  };
  return (
    <Dialog label="Search models, layers, tags" onClose={onClose}>
      <input
        class="field"
        autoFocus
        placeholder="Search models, layers, tags"
        aria-label="Search models, layers, tags"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={`palette-${at}`}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") setAt(Math.min(at + 1, found.length - 1));
          else if (event.key === "ArrowUp") setAt(Math.max(at - 1, 0));
          else if (event.key === "Enter") open(found[at]);
          else return;
          event.preventDefault();
        }}
      />
      <ul class="menu-list flat" role="listbox" id="palette-list" aria-label="Found">
        {found.map((target, i) => (
          <li
            key={`${target.kind} ${target.text}`}
            id={`palette-${i}`}
            role="option"
            aria-selected={i === at}
            onPointerMove={() => setAt(i)}
            onClick={() => open(target)}
          >
            <span>
              <bdi>{target.text}</bdi>
            </span>
            <span class="dim">{target.kind}</span>
          </li>
        ))}
        {found.length === 0 && (
          <li class="note" role="option" aria-selected="false">
            No name matches the search
          </li>
        )}
      </ul>
    </Dialog>
  );
}
