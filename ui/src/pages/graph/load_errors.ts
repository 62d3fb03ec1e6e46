// Requests the errors of layers, and the nodes of the graph to which these layers belong.
import { layersShape, sidesShape } from "../../api/compression/layers";
import { layerPathsShape } from "../../api/graphs";
import { getJson, postJson, type Params } from "../../api/client";
import { readLayers, type PairOfVariants } from "../../domain/layers/layers";
import { pairWithLayers, type PlacedError } from "./errors";

export async function loadErrors(
  source: Params,
  pairs: readonly PairOfVariants[],
  signal: AbortSignal,
): Promise<PlacedError[]> {
  const pair = pairWithLayers(await getJson(sidesShape, "compression/sides", {}, signal), pairs);
  if (!pair) return [];
  const response = await getJson(
    layersShape,
    "compression/layers",
    { a: pair.a, b: pair.b, model: pair.model },
    signal,
  );
  const layers = readLayers(response);
  if (layers.length === 0) return [];
  const { paths } = await postJson(
    layerPathsShape,
    "graphs/layers",
    { ...source, layers: layers.map((layer) => layer.name) },
    signal,
  );
  return layers.flatMap((layer, i) => {
    const path = paths[i];
    return path === null || path === undefined || layer.level === "open"
      ? []
      : [
          {
            path,
            layer: layer.name,
            sqnr: layer.sqnr,
            sqnrIsBound: layer.sqnrIsBound,
            sqnrDecimals: layer.sqnrDecimals,
            level: layer.level === "good" ? ("" as const) : layer.level,
          },
        ];
  });
}
