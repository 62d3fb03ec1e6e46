// The list of keyboard shortcuts in three groups: of this page, of every page, and shortcuts that open other pages.
import type { JSX } from "preact";
import { Dialog } from "../widgets/Dialog";
import { allKeys, type Key } from "../base/keys";

function Keys({ title, keys }: { title: string; keys: readonly Key[] }): JSX.Element | null {
  if (keys.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <dl class="keys">
        {keys.map((key) => (
          <div key={key.key}>
            <dt>
              {key.key.split(" ").map((part) => (
                <kbd key={part}>{part}</kbd>
              ))}
            </dt>
            <dd>{key.does}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export function KeyHelp({ onClose }: { onClose: () => void }): JSX.Element {
  const groups = allKeys.value;
  // The group that contains the shortcut "?" is the group with the shortcuts of every page.
  const everywhere = groups.find((group) => group.some(({ key }) => key === "?")) ?? [];
  return (
    <Dialog label="Keys" onClose={onClose}>
      <h2>Keys</h2>
      <Keys title="On this page" keys={groups.filter((group) => group !== everywhere).flat()} />
      <Keys title="On every page" keys={everywhere.filter(({ key }) => !key.startsWith("g "))} />
      <Keys title="Go to" keys={everywhere.filter(({ key }) => key.startsWith("g "))} />
    </Dialog>
  );
}
