// Requests many scalar curves at once.
import { postForBytes } from "./client";
import { readCurves, type CurvesResponse } from "./series";

export interface CurvesRequest {
  readonly series: readonly (readonly [run: string, tag: string])[];
  /** The maximum number of points of each curve. */
  readonly points: number;
  readonly axis: "step" | "relative" | "wall";
  /** 0 if the response should contain no wall times. */
  readonly wall_times?: 0 | 1;
  /** Requests only the points from `from` to `to` on the axis. */
  readonly from?: number;
  readonly to?: number;
  /** The smoothing weight. If set, the server smooths over all points and returns the smoothed values. */
  readonly smooth?: number;
}

export async function postForCurves(request: CurvesRequest, signal?: AbortSignal): Promise<CurvesResponse> {
  return postForBytes("scalars", request, "application/vnd.compression-board.series", readCurves, signal);
}
