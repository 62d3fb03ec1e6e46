// Opens the stages of quantization one by one, or plays them in sequence.
import { firstStage, nextStage } from "../../domain/models/stages";
import { useEffect } from "preact/hooks";
import { query, setQuery } from "../../base/address";
import { isOnItsWay, type Shown } from "./sources";

const PLAY_MILLISECONDS = 1600; // The time per stage; long enough to read the graph.

export interface PlayedStages {
  readonly playing: boolean;
  /**
   * Starts playing from the open stage, or from the first stage if the open stage is the last one. Stops if it is
   * playing.
   */
  readonly play: () => void;
  readonly open: (stage: string) => void;
  /** The next or the previous stage with a graph. */
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
