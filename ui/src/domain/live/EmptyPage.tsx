// The text of a page without data: what the page shows, which data it looked for, what the log directory contains
// instead, and how to log the data.
import type { ComponentChildren, JSX } from "preact";
import { ageText, plural } from "../../base/text/format";
import { progress, status } from "./live";
import { hrefOf } from "../../base/address";

function Found({ lookedFor }: { lookedFor: ComponentChildren }): JSX.Element | null {
  const now = status.value;
  if (!now) return null;
  const where = now.logdirs.paths.join(", ");
  const missing = now.problems.messages;
  if (missing.length > 0 && now.runs === 0)
    return (
      <>
        {missing.map((message) => (
          <p key={message} class="bad">
            {message}
          </p>
        ))}
      </>
    );
  if (now.runs === 0) {
    return (
      <p>
        <span class="mono">{where}</span> contains no event files yet: no file with <span class="mono">tfevents</span>{" "}
        in its name, here or in a folder below. The page watches the log directory and shows new data without a reload.
      </p>
    );
  }
  const age =
    now.newest_wall_time === null ? "" : `, the newest event ${ageText(Date.now() / 1000 - now.newest_wall_time)} old`;
  return (
    <>
      <p>
        The page looked for {lookedFor}. <span class="mono">{where}</span> contains {plural(now.runs, "run")} and{" "}
        {plural(now.tags, "tag")}
        {age}; none of them has such data.
      </p>
      {missing.map((message) => (
        <p key={message} class="bad">
          {message}
        </p>
      ))}
      {now.damaged_runs > 0 && (
        <p>
          <a class="link" href={hrefOf(["files"], { model: null })}>
            {plural(now.damaged_runs, "run")} could not be read to the end
          </a>
          ; the unread parts may contain this data.
        </p>
      )}
    </>
  );
}

export function EmptyPage({
  title,
  about,
  lookedFor,
  children,
}: {
  title: string;
  /** One sentence that says what the page shows. */
  about: ComponentChildren;
  /** The tags and directories that the page looked for. */
  lookedFor: ComponentChildren;
  /** Example code that logs data for this page. */
  children: ComponentChildren;
}): JSX.Element {
  const reading = progress.value !== null && !progress.value.complete;
  return (
    <div class="empty" aria-busy={status.value === null}>
      <h1>{reading ? "Reading the logs" : title}</h1>
      <p>{about}</p>
      {!reading && <Found lookedFor={lookedFor} />}
      {children}
    </div>
  );
}
