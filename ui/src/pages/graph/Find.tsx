// Finds nodes and groups by a regular expression on their path or operator.
import { searchShape } from "../../api/graphs";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { getJson, type Params } from "../../api/client";
import { count } from "../../base/text/format";
import { VirtualList } from "../../widgets/VirtualList";
import { useResource } from "../../domain/live/resource";

const WAIT_MILLISECONDS = 120;

export function Find({
  source,
  version,
  pattern,
  onPattern,
  onFound,
  onPick,
  onClose,
}: {
  source: Params;
  version: string;
  pattern: string;
  onPattern: (pattern: string) => void;
  onFound: (paths: readonly string[]) => void;
  onPick: (path: string) => void;
  onClose: () => void;
}): JSX.Element {
  const [typed, setTyped] = useState(pattern);
  const [active, setActive] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  useEffect(() => {
    const wait = setTimeout(() => onPattern(typed), WAIT_MILLISECONDS);
    return () => clearTimeout(wait);
  }, [typed]);
  const { state } = useResource(
    JSON.stringify([source, version, pattern]),
    (signal) =>
      pattern === ""
        ? Promise.resolve(null)
        : getJson(searchShape, "graphs/search", { ...source, pattern, limit: 2000 }, signal),
    { live: false },
  );
  const { data, error } = state.value;
  useEffect(() => {
    onFound(data?.paths ?? []);
    setActive(0);
  }, [data]);
  const items = (data?.paths ?? []).map((path, i) => ({ path, op: data?.ops[i] ?? "", i }));
  const onKey = (event: KeyboardEvent): void => {
    const move = (by: number): void => setActive(Math.max(0, Math.min(items.length - 1, active + by)));
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Enter") {
      const chosen = items[active];
      if (chosen) onPick(chosen.path);
    } else if (event.key === "Escape") onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="find" role="search">
      <div class="find-row">
        <input
          class="field"
          ref={input}
          type="text"
          value={typed}
          placeholder="Find nodes by name or operator"
          aria-label="Find nodes by a regular expression"
          onInput={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={onKey}
        />
        <button class="icon" aria-label="Close" onClick={onClose}>
          ×
        </button>
      </div>
      <p class="note" role="status">
        {error ? error.message : data ? `${count(data.total)} found` : "A regular expression: conv.*1$"}
      </p>
      {items.length > 0 && (
        <div class="found">
          <VirtualList
            items={items}
            rowHeight={26}
            keyOf={(item) => item.path}
            label="Found"
            render={(item) => (
              <button
                class={item.i === active ? "active" : ""}
                title={item.path}
                onClick={() => {
                  setActive(item.i);
                  onPick(item.path);
                }}
              >
                <span class="mono">{item.path}</span>
                <span class="dim">{item.op || "group"}</span>
              </button>
            )}
          />
        </div>
      )}
    </div>
  );
}
