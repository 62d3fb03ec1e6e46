import type { JSX } from "preact";
import { Dialog } from "./Dialog";
import { allKeys } from "./keys";

export function KeyHelp({ onClose }: { onClose: () => void }): JSX.Element {
  return (
    <Dialog label="Keys" onClose={onClose}>
      <h2>Keys</h2>
      <dl class="keys">
        {allKeys.value.flat().map((key) => (
          <div key={key.key}>
            <dt>{key.key.split(" ").map((part) => <kbd key={part}>{part}</kbd>)}</dt>
            <dd>{key.does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
