// A button that opens a list to choose from. Arrow keys move, Enter chooses, Escape closes.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useUnfolded } from "./useUnfolded";

export interface Choice {
  readonly value: string;
  readonly text: string;
  readonly note?: string;
}

function focusOn(element: Element | null): void {
  if (element instanceof HTMLElement) element.focus();
}

export function Menu({
  label,
  choices,
  value,
  onPick,
  children,
}: {
  label: string;
  choices: readonly Choice[];
  value: string;
  onPick: (value: string) => void;
  children: ComponentChildren;
}): JSX.Element {
  const { open, setOpen, root, onKeyDown, leave } = useUnfolded();
  const list = useRef<HTMLUListElement>(null);

  useEffect(() => {
    if (!open) return;
    const chosen = list.current?.querySelector<HTMLElement>('[aria-selected="true"]');
    (chosen ?? list.current?.querySelector<HTMLElement>("li"))?.focus();
  }, [open]);

  const pick = (choice: Choice): void => {
    leave();
    if (choice.value !== value) onPick(choice.value);
  };
  const onKey = (event: KeyboardEvent, choice: Choice): void => {
    const item = event.currentTarget;
    if (!(item instanceof HTMLElement)) return;
    if (event.key === "ArrowDown") focusOn(item.nextElementSibling);
    else if (event.key === "ArrowUp") focusOn(item.previousElementSibling);
    else if (event.key === "Enter" || event.key === " ") pick(choice);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class="menu-root" ref={root} onKeyDown={onKeyDown}>
      <button
        class="pick"
        aria-haspopup="listbox"
        aria-expanded={open}
        aria-label={label}
        onClick={() => setOpen(!open)}
      >
        {children}
        <span class="caret" aria-hidden="true">
          ▼
        </span>
      </button>
      {open && (
        <ul class="menu-list" role="listbox" aria-label={label} ref={list}>
          {choices.map((choice) => (
            <li
              key={choice.value}
              role="option"
              tabIndex={-1}
              aria-selected={choice.value === value}
              onClick={() => pick(choice)}
              onKeyDown={(event) => onKey(event, choice)}
            >
              <span>{choice.text}</span>
              {choice.note && <span class="dim">{choice.note}</span>}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
