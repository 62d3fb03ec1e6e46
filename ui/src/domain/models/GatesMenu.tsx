// The menu to choose a policy or to set one's own limits.
import type { JSX } from "preact";
import { setQuery } from "../../base/address";
import { useUnfolded } from "../../widgets/useUnfolded";
import { isRules, LIMITS, limitsOfRules, POLICIES, rulesOf } from "./gates";
import { policy } from "./policy";
import "./gates.css";

const setPolicy = (next: string): void => setQuery({ policy: next === POLICIES[0]?.name ? null : next }, "replace");

/** `rules` are the gates of the policy in the format of the server: "drop ≤ 1 pp". */
export function GatesMenu({ rules }: { rules: readonly string[] }): JSX.Element {
  const { open, setOpen, root, onKeyDown } = useUnfolded();
  const own = isRules(policy.value);
  const limits = limitsOfRules(own ? policy.value.split(" ") : rules);
  const change = (id: string, text: string): void => {
    const limit = Number(text);
    if (!Number.isFinite(limit) || limit < 0) return;
    const next = new Map(limits);
    if (text === "") next.delete(id);
    else next.set(id, limit);
    setPolicy(rulesOf(next) || (POLICIES[0]?.name ?? ""));
  };
  const name = own ? "own gates" : policy.value;
  return (
    <div class="menu-root" ref={root} onKeyDown={onKeyDown}>
      <button class="pick" aria-expanded={open} aria-label={`Policy: ${name}`} onClick={() => setOpen(!open)}>
        <span class="dim">Policy</span> {name}
        <span class="caret" aria-hidden="true">
          ▼
        </span>
      </button>
      {open && (
        <div class="menu-list right gates-menu" role="group" aria-label="Policy and gates">
          {POLICIES.map((one) => (
            <label key={one.name} class="tick">
              <input
                type="radio"
                name="policy"
                checked={policy.value === one.name}
                onChange={() => setPolicy(one.name)}
              />
              <span>{one.name}</span>
            </label>
          ))}
          <h3>Gates</h3>
          {LIMITS.map(({ id, label, unit }) => (
            <label key={id} class="gate-limit">
              <span>{label}</span>
              <input
                class="field"
                type="number"
                min="0"
                step="any"
                placeholder="none"
                value={limits.get(id) ?? ""}
                onChange={(event) => change(id, event.currentTarget.value)}
              />
              <span class="dim">{unit}</span>
            </label>
          ))}
        </div>
      )}
    </div>
  );
}
