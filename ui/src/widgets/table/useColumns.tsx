// Table columns that the user can resize, hide and reorder, with the mouse in the table's header or in a menu.
import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";
import { query, setQuery } from "../../base/address";
import { useUnfolded } from "../useUnfolded";
import { arrange, arrangementText, moved, withShown, withWidth, type ArrangedColumn, type ColumnSpec } from "./columns";
import "./table.css";

const KEY_STEP = 16; // The number of pixels by which a click in the menu changes a width.

export interface Columns<C extends ColumnSpec> {
  /** The visible columns, in the user's order. */
  readonly shown: readonly C[];
  /** The <colgroup> element with the column widths; goes into the table before its header. */
  readonly colgroup: JSX.Element;
  /** The style of the table: its min width, below which it scrolls. */
  readonly style: { readonly minWidth: string };
  /** Renders a header cell. */
  readonly head: (spec: C, children: ComponentChildren, attributes?: HeadAttributes) => JSX.Element;
  /** A button that opens the menu of columns. */
  readonly menu: JSX.Element;
}

export interface HeadAttributes {
  readonly class?: string;
  readonly title?: string;
  readonly "aria-sort"?: "ascending" | "descending";
}

/**
 * `key` is the address's key for the arrangement of the columns, `lead` the number of other columns before them. If
 * `auto` is set, a column is as wide as its content unless the user has set a width.
 */
export function useColumns<C extends ColumnSpec>(
  specs: readonly C[],
  { key = "cols", lead = 0, auto = false } = {},
): Columns<C> {
  const columns = arrange(specs, query.value.get(key));
  const set = (next: readonly ArrangedColumn<C>[]): void =>
    setQuery({ [key]: arrangementText(specs, next) }, "replace");
  const now = (): ArrangedColumn<C>[] => arrange(specs, query.value.get(key));
  const resizing = useRef(false);
  const visible = columns.filter((column) => column.shown);
  const growing = visible.some(({ spec, sized }) => spec.grows === true && !sized);

  const startResize =
    (id: string) =>
    (event: PointerEvent): void => {
      const grip = event.currentTarget;
      if (!(grip instanceof HTMLElement) || event.button !== 0) return;
      const [start, width] = [event.clientX, grip.closest("th")?.offsetWidth ?? 0];
      event.preventDefault();
      event.stopPropagation();
      resizing.current = true;
      grip.setPointerCapture(event.pointerId);
      grip.onpointermove = (move) => set(withWidth(now(), id, width + move.clientX - start));
      grip.onpointerup = grip.onpointercancel = () => {
        grip.onpointermove = grip.onpointerup = grip.onpointercancel = null;
        resizing.current = false;
      };
    };

  const head = (spec: C, children: ComponentChildren, attributes: HeadAttributes = {}): JSX.Element => (
    <th
      key={spec.id}
      scope="col"
      {...attributes}
      draggable
      onDragStart={(event) => {
        if (resizing.current) return event.preventDefault();
        event.dataTransfer?.setData("text/plain", spec.id);
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        set(moved(now(), event.dataTransfer?.getData("text/plain") ?? "", spec.id));
      }}
    >
      {children}
      <span
        class="grip"
        aria-hidden="true"
        title="Drag to resize, double-click to reset"
        onPointerDown={startResize(spec.id)}
        onClick={(event) => event.stopPropagation()}
        onDblClick={() =>
          set(
            now().map((column) =>
              column.spec.id === spec.id ? { ...column, width: spec.width, sized: false } : column,
            ),
          )
        }
      />
    </th>
  );

  return {
    shown: visible.map(({ spec }) => spec),
    colgroup: (
      <colgroup>
        {lead > 0 && <col span={lead} />}
        {visible.map(({ spec, width, sized }) => (
          <col key={spec.id} style={(auto || spec.grows) && !sized ? {} : { width: `${width}px` }} />
        ))}
        {!growing && !auto && <col />}
      </colgroup>
    ),
    style: { minWidth: `${visible.reduce((sum, { width }) => sum + width, 0)}px` },
    head,
    menu: (
      <ColumnMenu columns={columns} now={now} onChange={set} onReset={() => setQuery({ [key]: null }, "replace")} />
    ),
  };
}

function ColumnMenu<C extends ColumnSpec>({
  columns,
  now,
  onChange,
  onReset,
}: {
  columns: readonly ArrangedColumn<C>[];
  now: () => readonly ArrangedColumn<C>[];
  onChange: (columns: readonly ArrangedColumn<C>[]) => void;
  onReset: () => void;
}): JSX.Element {
  const { open, setOpen, root, onKeyDown } = useUnfolded();
  const tool = (label: string, text: string, run: () => void, disabled = false): JSX.Element => (
    <button class="link tool-key" aria-label={label} title={label} disabled={disabled} onClick={run}>
      {text}
    </button>
  );
  return (
    <div class="menu-root" ref={root} onKeyDown={onKeyDown}>
      <button class="pick" aria-expanded={open} onClick={() => setOpen(!open)}>
        Columns
        <span class="caret" aria-hidden="true">
          ▼
        </span>
      </button>
      {open && (
        <div class="menu-list right column-menu" role="group" aria-label="Columns of the table">
          {columns.map(({ spec, width, shown }, i) => (
            <div class="column-row" key={spec.id}>
              <label class="tick">
                <input
                  type="checkbox"
                  checked={shown}
                  disabled={spec.fixed === true}
                  onChange={() => onChange(withShown(now(), spec.id, !shown))}
                />
                <span>{spec.name}</span>
              </label>
              {tool(
                `Move ${spec.name} to the left`,
                "↑",
                () => onChange(moved(now(), spec.id, columns[i - 1]?.spec.id ?? "")),
                i === 0,
              )}
              {tool(
                `Move ${spec.name} to the right`,
                "↓",
                () => onChange(moved(now(), spec.id, columns[i + 1]?.spec.id ?? "")),
                i === columns.length - 1,
              )}
              {tool(
                `Make ${spec.name} narrower`,
                "−",
                () => onChange(withWidth(now(), spec.id, width - KEY_STEP)),
                !shown,
              )}
              {tool(
                `Make ${spec.name} wider`,
                "+",
                () => onChange(withWidth(now(), spec.id, width + KEY_STEP)),
                !shown,
              )}
            </div>
          ))}
          <button class="link" onClick={onReset}>
            Default columns
          </button>
        </div>
      )}
    </div>
  );
}
