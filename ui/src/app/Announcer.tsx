// Announces new values to screen readers, at most every five seconds.
import { effect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { plural } from "../base/text/format";
import { status } from "../domain/live/live";

const CALM_MILLISECONDS = 5000;

export function Announcer(): JSX.Element {
  const [text, setText] = useState("");
  useEffect(() => {
    // The last announced snapshot. The first snapshot is not announced, because the page already shows its content.
    let known: number | null = null;
    let later: ReturnType<typeof setTimeout> | undefined;
    const stop = effect(() => {
      const now = status.value;
      if (!now || !now.progress.complete) return;
      if (known === null) known = now.snapshot;
      if (now.snapshot === known || later !== undefined) return;
      later = setTimeout(() => {
        later = undefined;
        const newest = status.peek();
        if (!newest) return;
        known = newest.snapshot;
        setText(
          `Newer values at ${new Date().toTimeString().slice(0, 8)}: ${plural(newest.runs, "run")}, ${plural(newest.tags, "tag")}`,
        );
      }, CALM_MILLISECONDS);
    });
    return () => {
      stop();
      clearTimeout(later);
    };
  }, []);
  return (
    <div class="sr" role="status">
      {text}
    </div>
  );
}
