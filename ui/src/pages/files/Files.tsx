// Every run with its files and their damage, damaged runs first.
import { filesShape, runsShape } from "../../api/board";
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { getJson } from "../../api/client";
import { ageText, bytes, count, plural } from "../../base/text/format";
import { matcherOf } from "../../base/text/matching";
import { Breakable } from "../../widgets/Breakable";
import { EmptyPage } from "../../domain/live/EmptyPage";
import { shellFolder } from "../../domain/live/Snippet";
import { useGrowingRows } from "../../widgets/useGrowingRows";
import { query, setQuery } from "../../base/address";
import { inNaturalOrder } from "../../base/text/natural";
import { troubledDirectories } from "../../domain/live/log_directories";
import { status } from "../../domain/live/live";
import { useResource } from "../../domain/live/resource";
import "./files.css";

const FEW = 12; // A list of up to this many runs has no filter.

function FilesOfRun({ run }: { run: string }): JSX.Element {
  const { state, retry } = useResource(run, (signal) => getJson(filesShape, "files", { run }, signal));
  const { data, error } = state.value;
  if (error && !data)
    return (
      <p class="trouble">
        {error.message}{" "}
        <button class="link" onClick={retry}>
          Try again
        </button>
      </p>
    );
  if (!data) return <p class="note">…</p>;
  return (
    <>
      <ul class="file-list">
        {data.paths.map((path, i) => (
          <li key={path}>
            <span class="mono">{path}</span>
            <span class="dim">
              {bytes(data.sizes[i] ?? 0)}, {plural(data.records[i] ?? 0, "record")}
            </span>
            {data.errors[i] && <span class="verdict bad">{data.errors[i]}</span>}
            {(data.damaged_bytes[i] ?? 0) > 0 && (
              <span class="verdict warn">{bytes(data.damaged_bytes[i] ?? 0)} are damaged; the other data is shown</span>
            )}
            {(data.torn_bytes[i] ?? 0) > 0 && (
              <span class="dim">
                the last {bytes(data.torn_bytes[i] ?? 0)} are an incomplete record: it is still being written, or the
                file is truncated
              </span>
            )}
          </li>
        ))}
      </ul>
      {data.damage.offsets.length > 0 && (
        <table class="table damage">
          <caption class="sr">Places in {run} that could not be read</caption>
          <thead>
            <tr>
              <th scope="col" class="num">
                At byte
              </th>
              <th scope="col" class="num">
                Skipped
              </th>
              <th scope="col">Reason</th>
            </tr>
          </thead>
          <tbody>
            {data.damage.offsets.map((offset, i) => (
              <tr key={i}>
                <td class="num">{count(offset)}</td>
                <td class="num">{bytes(data.damage.bytes[i] ?? 0)}</td>
                <td>{data.damage.reasons[i]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {data.damage_count > data.damage.offsets.length && (
        <p class="note">
          Only the first {data.damage.offsets.length} of {count(data.damage_count)} damaged places are shown.
        </p>
      )}
    </>
  );
}

export default function Files(): JSX.Element {
  const { state, retry } = useResource("runs", (signal) => getJson(runsShape, "runs", {}, signal));
  const [open, setOpen] = useState<string | null>(null);
  const words = query.value.get("find") ?? "";
  const { data, error } = state.value;
  const now = status.value;
  const places = useMemo(() => {
    const names = new Map(inNaturalOrder(data?.names ?? []).map((name, place) => [name, place]));
    return new Map(data?.names.map((name, i) => [i, names.get(name) ?? i]) ?? []);
  }, [data]);
  const order = useMemo(
    () =>
      data
        ? [...data.names.keys()].sort(
            (p, q) =>
              (data.failed_files[q] ?? 0) - (data.failed_files[p] ?? 0) ||
              (data.damaged_bytes[q] ?? 0) - (data.damaged_bytes[p] ?? 0) ||
              (places.get(p) ?? 0) - (places.get(q) ?? 0),
          )
        : [],
    [data, places],
  );
  const found = useMemo(() => {
    const matches = matcherOf(words);
    return words === "" ? order : order.filter((i) => matches(data?.names[i] ?? ""));
  }, [data, order, words]);
  const growing = useGrowingRows(found.length);
  if (error && !data)
    return (
      <p class="trouble" role="alert">
        {error.message}{" "}
        <button class="link" onClick={retry}>
          Try again
        </button>
      </p>
    );
  if (!data) return <div class="view" aria-busy="true" />;
  const damaged = order.filter((i) => (data.damaged_bytes[i] ?? 0) > 0 || (data.failed_files[i] ?? 0) > 0);
  const problems = now?.problems.messages ?? [];
  const { missing, unreadable } = troubledDirectories(now);
  const trouble = [
    ...(damaged.length > 0 ? [plural(damaged.length, "damaged log")] : []),
    ...(unreadable.length > 0 ? [`${plural(unreadable.length, "directory", "directories")} unreadable`] : []),
    ...(missing.length > 0 ? [`${plural(missing.length, "log directory does", "log directories do")} not exist`] : []),
  ];
  if (data.names.length === 0) {
    return (
      <EmptyPage
        title="No event files yet"
        about="This page lists every event file that was read, and its parts that could not be read."
        lookedFor="event files"
      >
        <p>Import a benchmark file, or look at the demo:</p>
        <pre>{`compression-board import results.json \\
    --logdir ${shellFolder()}
compression-board demo`}</pre>
      </EmptyPage>
    );
  }
  const seconds = Date.now() / 1000;
  const anyDamage = damaged.length > 0;
  return (
    <div class="view">
      <div class="page-bar">
        <h1>Files</h1>
        <span class="note">
          {plural(data.names.length, "run")} below {now?.logdirs.paths.join(", ")}
        </span>
        <span class={`verdict ${trouble.length > 0 ? "warn" : "good"}`}>
          {trouble.length > 0 ? trouble.join(", ") : "everything could be read"}
        </span>
        {order.length > FEW && (
          <input
            class="field push find-runs"
            type="search"
            aria-label="Find runs"
            placeholder="Find runs: regular expression"
            value={words}
            onInput={(event) => setQuery({ find: event.currentTarget.value }, "replace")}
          />
        )}
      </div>
      {problems.map((message) => (
        <p key={message} class="trouble">
          {message}
        </p>
      ))}
      <div class="scroll-x">
        <table class="table files">
          <thead>
            <tr>
              <th scope="col">Run</th>
              <th scope="col" class="num">
                Events
              </th>
              <th scope="col" class="num">
                Tags
              </th>
              {anyDamage && <th scope="col">Damage</th>}
              <th scope="col">Newest event</th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, growing.shown).map((i) => {
              const name = data.names[i] ?? "";
              const newest = data.newest_wall_times[i];
              const [lost, failed] = [data.damaged_bytes[i] ?? 0, data.failed_files[i] ?? 0];
              return (
                <>
                  <tr key={name}>
                    <td title={name}>
                      <button
                        class="link"
                        aria-expanded={open === name}
                        onClick={() => setOpen(open === name ? null : name)}
                      >
                        <span class="caret" aria-hidden="true">
                          {open === name ? "▾" : "▸"}
                        </span>{" "}
                        <span class="tail">
                          <bdi>
                            <Breakable name={name} />
                          </bdi>
                        </span>
                      </button>
                    </td>
                    <td class="num">{count(data.event_counts[i] ?? 0)}</td>
                    <td class="num">{count(data.tag_counts[i] ?? 0)}</td>
                    {anyDamage && (
                      <td>
                        {failed > 0 ? (
                          <span class="verdict bad">{plural(failed, "file")} unreadable</span>
                        ) : lost > 0 ? (
                          <span class="verdict warn">{bytes(lost)}</span>
                        ) : (
                          <span class="dim">none</span>
                        )}
                      </td>
                    )}
                    <td class="dim" title={newest == null ? undefined : new Date(newest * 1000).toISOString()}>
                      {newest == null ? "no event" : `${ageText(seconds - newest)} ago`}
                    </td>
                  </tr>
                  {open === name && (
                    <tr key={`${name} files`} class="unfolded-row">
                      <td colSpan={anyDamage ? 5 : 4}>
                        <FilesOfRun run={name} />
                      </td>
                    </tr>
                  )}
                </>
              );
            })}
          </tbody>
        </table>
      </div>
      {found.length > growing.shown && (
        <button ref={growing.end} class="link more" onClick={growing.more}>
          Show more ({found.length} runs in total)
        </button>
      )}
      {found.length === 0 && (
        <p class="panel note">
          No run has this name.{" "}
          <button class="link" onClick={() => setQuery({ find: null }, "replace")}>
            Show all {order.length}
          </button>
        </p>
      )}
    </div>
  );
}
