// A button that opens a list of checkboxes, for example to choose the columns of a table.
import type { ComponentChildren, JSX } from "preact";
import { useUnfolded } from "./useUnfolded";

export interface Tick {
  readonly value: string;
  readonly text: string;
}

export function CheckMenu({
  label,
  choices,
  chosen,
  onChange,
  children,
}: {
  label: string;
  choices: readonly Tick[];
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
  children: ComponentChildren;
}): JSX.Element {
  const { open, setOpen, root, onKeyDown } = useUnfolded();
  const toggle = (value: string): void => {
    const next = new Set(chosen);
    if (!next.delete(value)) next.add(value);
    onChange(next);
  };
  return (
    <div class="menu-root" ref={root} onKeyDown={onKeyDown}>
      <button class="pick" aria-expanded={open} aria-label={label} onClick={() => setOpen(!open)}>
        {children}
        <span class="caret" aria-hidden="true">
          ▼
        </span>
      </button>
      {open && (
        <div class="menu-list right" role="group" aria-label={label}>
          {choices.map((choice) => (
            <label key={choice.value} class="tick">
              <input type="checkbox" checked={chosen.has(choice.value)} onChange={() => toggle(choice.value)} />
              <span>{choice.text}</span>
            </label>
          ))}
        </div>
      )}
    </div>
  );
}
