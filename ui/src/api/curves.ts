// Requests many curves at once.
import { postForBytes } from "./client";
import { readCurves, type CurvesResponse } from "./series";

export interface CurvesRequest {
  readonly series: readonly (readonly [run: string, tag: string])[];
  /** The maximum number of points of each curve. */
  readonly points: number;
  readonly axis: "step" | "relative" | "wall";
  /** 0 leaves them out. */
  readonly wall_times?: 0 | 1;
  /** Only this part of the axis. */
  readonly from?: number;
  readonly to?: number;
  /** The weight of the smoothing over all points; the values are the smoothed ones then. */
  readonly smooth?: number;
}

export async function postForCurves(request: CurvesRequest, signal?: AbortSignal): Promise<CurvesResponse> {
  return postForBytes("scalars", request, "application/vnd.compression-board.series", readCurves, signal);
}
