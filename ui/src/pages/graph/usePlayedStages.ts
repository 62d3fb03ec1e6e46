// Stages of quantization, opened one by one or played one after the other.
import { firstStage, nextStage } from "../../domain/models/stages";
import { useEffect } from "preact/hooks";
import { query, setQuery } from "../../base/address";
import { isOnItsWay, type Shown } from "./sources";

const PLAY_MILLISECONDS = 1600; // The picture of each stays long enough to be read.

export interface PlayedStages {
  readonly playing: boolean;
  /** Plays from here on, or from the beginning where this is the end; or stops. */
  readonly play: () => void;
  readonly open: (stage: string) => void;
  /** The next one with a graph, or the one before. */
  readonly step: (by: 1 | -1) => void;
}

const of = (stage: string | null): Record<string, string | null> => ({ stage, graph: null, with: null });

export function usePlayedStages(shown: Shown): PlayedStages {
  const playing = query.value.has("play") && shown.timeline !== null;
  const arriving = !query.value.has("graph") && isOnItsWay(shown, query.value.get("stage"));
  useEffect(() => {
    if (!playing || arriving) return;
    const next = nextStage(shown, 1);
    const later = setTimeout(
      () => setQuery(next === null ? { play: null } : of(next), "replace"),
      next === null ? 0 : PLAY_MILLISECONDS,
    );
    return () => clearTimeout(later);
  }, [playing, arriving, shown.stage]);
  const open = (stage: string): void => setQuery({ ...of(stage), play: null });
  return {
    playing,
    open,
    play: () =>
      setQuery(
        playing ? { play: null } : { play: "1", ...(nextStage(shown, 1) === null ? of(firstStage(shown)) : {}) },
        "replace",
      ),
    step: (by) => {
      const name = nextStage(shown, by);
      if (name !== null) open(name);
    },
  };
}
