// Asks for many curves at once.
import { postForBytes } from "./client";
import { readCurves, type CurvesAnswer } from "./series";

export interface CurvesQuestion {
  readonly series: readonly (readonly [run: string, tag: string])[];
  /** At most so many of each. */
  readonly points: number;
  readonly axis: "step" | "relative" | "wall";
  /** 0: nobody looks at them. */
  readonly wall_times?: 0 | 1;
  /** A part of the axis only. */
  readonly from?: number;
  readonly to?: number;
}

export async function postForCurves(question: CurvesQuestion, signal?: AbortSignal): Promise<CurvesAnswer> {
  return postForBytes("scalars", question, "application/vnd.compression-board.series", readCurves, signal);
}
