// The header: the compared pair, the search, and the state of the connection to the server.
import type { JSX } from "preact";
import { bytes, duration, plural } from "../base/text/format";
import { inNaturalOrder } from "../base/text/natural";
import { connection, progress, status } from "../domain/live/live";
import { sourceProblems } from "../domain/live/source_problems";
import { sources } from "../domain/live/sources";
import { troubledDirectories } from "../domain/live/log_directories";
import { hrefOf, pathParts, setQuery } from "../base/address";
import { comparison, shownModel, sideA, sideB, swapSides, variants } from "../domain/models/pair";
import { Icon, ICONS, SideMark } from "../widgets/icons";
import { Menu } from "../widgets/Menu";
import { COMPRESSION_PAGES, pageOf } from "./pages";
import { cycleTheme, theme } from "../base/theme";

function Side({ side }: { side: "a" | "b" }): JSX.Element {
  const value = side === "a" ? sideA.value : sideB.value;
  const name = `${shownModel.value ?? "all"} · ${value}`;
  const choices = inNaturalOrder(variants.value.length > 0 ? variants.value : [value]).map((v) => ({
    value: v,
    text: v,
  }));
  return (
    <Menu
      label={`${side.toUpperCase()}: ${name}`}
      choices={choices}
      value={value}
      onPick={(v) => setQuery({ [side]: v })}
    >
      <SideMark side={side} />
      <span class="pick-pair" title={`${shownModel.value ?? "all"} · ${value}`}>
        <span>{shownModel.value ?? "all"}</span>
        <span>{` · ${value}`}</span>
      </span>
    </Menu>
  );
}

function liveText(now: number): { text: string; title: string; good: boolean } {
  const loading = progress.value;
  if (connection.value === "lost") {
    return {
      text: "not connected",
      title: "The server does not respond. The page tries again by itself.",
      good: false,
    };
  }
  if (loading && !loading.complete) {
    return {
      text: `reading ${bytes(loading.done_bytes)} of ${bytes(loading.total_bytes)}`,
      title: `${plural(loading.done_runs, "run")} of ${loading.total_runs} read`,
      good: true,
    };
  }
  const newest = status.value?.newest_wall_time;
  if (newest === null || newest === undefined) return { text: "live", title: "No event yet", good: true };
  const age = duration(Math.max(0, now / 1000 - newest));
  return { text: "live", title: `Newest event ${age} ago`, good: true };
}

export function Header({
  onMenu,
  menuOpen,
  onSearch,
  onHelp,
}: {
  onMenu: () => void;
  menuOpen: boolean;
  onSearch: () => void;
  onHelp: () => void;
}): JSX.Element {
  const live = liveText(Date.now());
  const page = pageOf(pathParts.value);
  const compares = page !== null && COMPRESSION_PAGES.includes(page);
  const { missing, unreadable } = troubledDirectories(status.value);
  const unreachable = sourceProblems(sources.value, Date.now() / 1000);
  const damage = (status.value?.damaged_runs ?? 0) + unreadable.length;
  const icon = { system: ICONS.auto, light: ICONS.sun, dark: ICONS.moon }[theme.value];
  return (
    <header class="header">
      <button class="icon menu" aria-label="Pages" aria-controls="rail" aria-expanded={menuOpen} onClick={onMenu}>
        <Icon d={ICONS.menu} />
      </button>
      {(comparison.value?.variants.length ?? 0) > 0 && (
        <div class={`pair${compares ? "" : " idle"}`} role="group" aria-label="Compared pair">
          <Side side="a" />
          <button class="icon" aria-label="Swap A and B" title="Swap A and B (x)" onClick={swapSides}>
            <Icon d={ICONS.swap} />
          </button>
          <Side side="b" />
        </div>
      )}
      <button class="search field" onClick={onSearch}>
        <span class="dim">Search models, layers, tags</span>
        <kbd aria-hidden="true">/</kbd>
      </button>
      {missing.length > 0 && (
        <a class="verdict warn damage-note" href={hrefOf(["files"], { model: null })} title={missing.join("\n")}>
          {plural(missing.length, "log directory does", "log directories do")} not exist
        </a>
      )}
      {unreachable.length > 0 && (
        <span class="verdict warn damage-note" title={unreachable.join("\n")}>
          {plural(unreachable.length, "bucket")} not read
        </span>
      )}
      {damage > 0 && (
        <a
          class="verdict warn damage-note"
          href={hrefOf(["files"], { model: null })}
          title="Some of the logs could not be read; the rest is shown"
        >
          {plural(damage, "damaged log")}
        </a>
      )}
      <span class={`live${live.good ? "" : " lost"}`} title={live.title}>
        {live.text}
      </span>
      <button
        class="icon theme"
        aria-label={`Theme: ${theme.value}`}
        title={`Theme: ${theme.value} (d)`}
        onClick={cycleTheme}
      >
        <Icon d={icon} />
      </button>
      <button class="icon help" aria-label="Keys" title="Keys (?)" onClick={onHelp}>
        <Icon d={ICONS.help} />
      </button>
    </header>
  );
}
