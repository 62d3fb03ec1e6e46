// Quantization stages that have a graph.
import type { Timeline } from "../../api/graphs";

export interface StageInTimeline {
  readonly timeline: Timeline | null;
  /** The index of the stage in the timeline. */
  readonly stage: number;
}

/** The next stage with a graph (`by` 1) or the previous one (`by` -1); null at the end. */
export function nextStage({ timeline, stage }: StageInTimeline, by: 1 | -1): string | null {
  for (let i = stage + by; timeline && i >= 0 && i < timeline.names.length; i += by) {
    if (timeline.has_graph[i]) return timeline.names[i] ?? null;
  }
  return null;
}

export const firstStage = ({ timeline }: Pick<StageInTimeline, "timeline">): string | null =>
  nextStage({ timeline, stage: -1 }, 1);
