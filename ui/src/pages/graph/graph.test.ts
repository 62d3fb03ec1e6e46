import { firstStage, nextStage } from "../../domain/models/stages";
import type { FactColumns, MemorySide, Timeline, ViewResponse } from "../../api/graphs";
import { describe, expect, it } from "vitest";
import {
  cameraText,
  fitAll,
  kept,
  minimapSize,
  panned,
  readCamera,
  revealing,
  seen,
  seesAll,
  start,
  zoomed,
  withoutVoid,
} from "./camera";
import { legendOf, lookOf, stepOfBits, stepOfError, usableModes, type LayerError } from "./colours";
import { boxOfPath, isIn, Kind, linksOf, possibleGroups, readView } from "./data";
import { errorsOfBoxes, nextWorst, pairWithLayers } from "./errors";
import { Grid } from "./grid";
import { layoutMemory, operationAt } from "./memory_layout";
import { chooseSources, isOnItsWay, nameOf, readSources } from "./sources";
import { boundsOf, fitText, linePath, tipPath, withoutNamespace } from "./strokes";
import { neighbour, openedFor, toggled } from "./walk";

interface BoxText {
  path: string;
  at: [x: number, y: number];
  kind?: Kind;
  parent?: number;
  ops?: [a: number, b: number];
  fused?: number;
}

const facts = (n: number, more: Partial<FactColumns> = {}): FactColumns => {
  const zeros = (): number[] => new Array<number>(n).fill(0);
  return {
    node_counts: new Array<number>(n).fill(1),
    memory_bytes: zeros(),
    compute_micros: zeros(),
    weight_bytes: zeros(),
    output_bytes: zeros(),
    weight_bits: zeros(),
    activation_bits: zeros(),
    ...more,
  };
};

function viewOf(
  boxes: BoxText[],
  links: [source: number, end: number, before?: number][],
  more: Partial<ViewResponse> = {},
  pair = false,
): ViewResponse {
  const n = boxes.length;
  return {
    snapshot: 1,
    node_count: n,
    shown_count: n,
    folded_count: 0,
    edge_count: links.length,
    group_count: 0,
    has_memory: false,
    has_time: false,
    width: 1000,
    height: 1000,
    open: boxes.filter((box) => box.kind === Kind.Open).map((box) => box.path),
    devices: [""],
    boxes: {
      paths: boxes.map((box) => box.path),
      labels: boxes.map((box) => box.path),
      kinds: boxes.map((box) => box.kind ?? Kind.Node),
      parents: boxes.map((box) => box.parent ?? -1),
      x: boxes.map((box) => box.at[0]),
      y: boxes.map((box) => box.at[1]),
      widths: boxes.map(() => 100),
      heights: boxes.map(() => 20),
      ops: boxes.map((box) => box.ops?.[0] ?? 0),
      b_ops: boxes.map((box) => box.ops?.[1] ?? (pair ? 0 : -1)),
      op_names: ["Conv", "Relu"],
      devices: boxes.map(() => 0),
      changes: boxes.map(() => 0),
      fused_into: boxes.map((box) => box.fused ?? -1),
      structures: boxes.map(() => 0),
      a: facts(n),
      ...(pair ? { b: facts(n) } : {}),
    },
    links: {
      sources: links.map(([source]) => source),
      ends: links.map(([, end]) => end),
      befores: links.map(([, , before]) => before ?? -1),
      counts: links.map(() => 1),
      sides: links.map(() => 3),
      controls: links.map(() => 0),
      points: links.map(() => [0, 0, 0, 10]),
    },
    summary: { changes: [], counts: [], ops: [], others: [], whats: [] },
    problems: [],
    ...more,
  };
}

describe("a camera", () => {
  const picture = { width: 400, height: 4000 };
  const pane = { width: 800, height: 600 };
  it("shows everything when asked, and what can be read at first", () => {
    const all = seen(fitAll(picture, pane), pane);
    expect(all.y0).toBeLessThanOrEqual(0);
    expect(all.y1).toBeGreaterThanOrEqual(4000);
    const first = start(picture, pane, 200);
    expect(first.k).toBeGreaterThan(0.6);
    expect(seen(first, pane).y0).toBeLessThan(0);
  });
  it("leaves nothing empty below a picture that is larger than the pane", () => {
    expect(withoutVoid({ x: 0, y: 3900, k: 1 }, picture, pane).y).toBe(4000 + 24 - 600);
    expect(withoutVoid({ x: 0, y: 100, k: 1 }, picture, pane).y).toBe(100);
    expect(withoutVoid({ x: 0, y: 50, k: 1 }, { width: 400, height: 300 }, pane).y).toBeLessThan(0);
  });
  it("zooms around the pointer", () => {
    const before = { x: 10, y: 20, k: 1 };
    const after = zoomed(before, 2, { x: 100, y: 50 }, 0.01);
    expect(after.x + 100 / after.k).toBeCloseTo(110);
    expect(after.y + 50 / after.k).toBeCloseTo(70);
    expect(zoomed(before, 1e9, { x: 0, y: 0 }, 0.01).k).toBe(3);
  });
  it("never loses the picture", () => {
    const lost = kept(panned({ x: 0, y: 0, k: 1 }, 1e7, -1e7), picture, pane);
    const area = seen(lost, pane);
    expect(area.x1).toBeGreaterThan(0);
    expect(area.y0).toBeLessThan(4000);
  });
  it("moves to reveal a box only when it must", () => {
    const at = { x: 0, y: 0, k: 1 };
    expect(revealing(at, { x0: 200, y0: 200, x1: 300, y1: 220 }, pane)).toEqual(at);
    const moved = seen(revealing(at, { x0: 100, y0: 2000, x1: 200, y1: 2020 }, pane), pane);
    expect(moved.y0).toBeLessThan(2000);
    expect(moved.y1).toBeGreaterThan(2020);
  });
  it("travels in the address, and nonsense does not", () => {
    expect(readCamera(cameraText({ x: -12.4, y: 30, k: 0.5 }))).toEqual({ x: -12, y: 30, k: 0.5 });
    for (const text of [null, "", "1,2", "a,b,c", "1,2,0", "1,2,1e9", "NaN,1,1"]) expect(readCamera(text)).toBeNull();
  });
});

describe("a grid", () => {
  it("finds exactly what comparing with every box finds", () => {
    let state = 5;
    const random = (below: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state % below;
    };
    const boxes = new Float64Array(4 * 500);
    for (let i = 0; i < 500; i += 1) {
      const [x, y] = [random(2000), random(50_000)];
      boxes.set([x, y, x + random(i % 50 === 0 ? 2000 : 90), y + random(i % 70 === 0 ? 40_000 : 60)], 4 * i);
    }
    const grid = new Grid(boxes, 4000, 90_000);
    for (let k = 0; k < 60; k += 1) {
      const [x0, y0] = [random(3000) - 500, random(60_000) - 500];
      const area = { x0, y0, x1: x0 + random(1500), y1: y0 + random(9000) };
      const expected = [...Array(500).keys()].filter(
        (i) =>
          boxes[4 * i]! <= area.x1 &&
          boxes[4 * i + 2]! >= area.x0 &&
          boxes[4 * i + 1]! <= area.y1 &&
          boxes[4 * i + 3]! >= area.y0,
      );
      expect(grid.find(area)).toEqual(expected);
    }
  });
});

describe("a drawing", () => {
  const drawing = readView(
    viewOf(
      [
        { path: "net", at: [0, 0], kind: Kind.Open },
        { path: "net/conv", at: [10, 30], parent: 0, ops: [0, 0] },
        { path: "net/bn", at: [10, 60], parent: 0, ops: [1, -1], fused: 1 },
        { path: "net/relu", at: [10, 90], parent: 0, ops: [1, -1], fused: 1 },
        { path: "tail", at: [10, 200], kind: Kind.Closed },
        { path: "quantize", at: [200, 30], ops: [-1, 0] },
      ],
      [
        [1, 2],
        [2, 3],
        [3, 0],
        [3, 4, 2],
        [1, 5],
        [5, 4],
      ],
      {},
      true,
    ),
  );

  it("makes a fused box as tall as what it replaced", () => {
    expect(drawing.tall[1]).toBe(90 + 20 - 30);
    expect(drawing.fused.get(1)).toEqual([2, 3]);
  });
  it("knows what each side has, and which places its lines pass", () => {
    expect([isIn(drawing, 2, "a"), isIn(drawing, 2, "b"), isIn(drawing, 5, "a")]).toEqual([true, false, false]);
    expect([...drawing.passed.a]).toEqual([0, 0, 0, 0, 0, 1]);
    expect([...drawing.passed.b]).toEqual([0, 0, 1, 1, 0, 0]);
  });
  it("finds the closed group around a node", () => {
    expect(boxOfPath(drawing, "net/conv")).toBe(1);
    expect(boxOfPath(drawing, "tail/a/b.c")).toBe(4);
    expect(boxOfPath(drawing, "net/gone")).toBe(-1);
    expect(possibleGroups("a/b.c/d")).toEqual(["a", "a/b", "a/b.c"]);
  });
  it("follows lines back over the borders of groups", () => {
    expect([...linksOf(drawing, 4).in].sort()).toEqual([2, 3, 5]);
    expect([...linksOf(drawing, 1).out]).toEqual([0, 4]);
  });
  it("is walked along its lines, and sideways", () => {
    expect(neighbour(drawing, 1, "down")).toBe(2);
    expect(neighbour(drawing, 2, "up")).toBe(1);
    expect(neighbour(drawing, 1, "right")).toBe(5);
    expect(neighbour(drawing, 5, "left")).toBe(1);
    expect(neighbour(drawing, -1, "down")).toBe(1);
  });
  it("opens a group, and closes it with all that is in it", () => {
    expect(toggled(drawing, 4)).toEqual(["net", "tail"]);
    expect(toggled(drawing, 0)).toEqual([]);
    expect(openedFor(drawing, "net/conv")).toBeNull();
    expect(openedFor(drawing, "tail/a/b")).toEqual(["net", "tail", "tail/a"]);
  });
  it("shows the worst error of what is in a box", () => {
    const error = (path: string, sqnr: number): LayerError & { path: string } => ({
      path,
      sqnr,
      layer: path,
      level: "",
      sqnrIsBound: false,
      sqnrDecimals: 1,
    });
    const errors = errorsOfBoxes(drawing, [error("tail/x", 30), error("tail/y", 12), error("nowhere", 1)]);
    expect(errors.get(4)?.sqnr).toBe(12);
    expect(errors.size).toBe(1);
    const look = lookOf(drawing, "error", "b", errors);
    expect(look.heat[4]).toBe(5);
    expect(look.texts[4]).toBe("12.0");
    expect(lookOf(drawing, "error", "a", errors).heat[4]).toBe(-1);
  });
  it("walks from the worst layer to the next", () => {
    const errors = [
      { path: "x", sqnr: 30 },
      { path: "y", sqnr: 12 },
      { path: "z", sqnr: 20 },
    ].map((one) => ({ ...one, layer: one.path, level: "" as const, sqnrIsBound: false, sqnrDecimals: 1 }));
    expect(nextWorst(errors, null, 1)).toBe("y");
    expect(nextWorst(errors, "y", 1)).toBe("z");
    expect(nextWorst(errors, "x", 1)).toBe("y");
    expect(nextWorst(errors, "y", -1)).toBe("x");
    expect(nextWorst([], null, 1)).toBeNull();
  });
});

describe("colours", () => {
  it("go from harmless to worst", () => {
    expect([60, 40, 36, 20, 10, -5].map(stepOfError)).toEqual([0, 0, 0, 4, 5, 5]);
    expect([64, 32, 16, 8, 4, 2, 1, 0].map(stepOfBits)).toEqual([0, 0, 1, 2, 4, 5, 5, -1]);
  });
  it("are offered where there is something to colour", () => {
    const boxes = [
      { path: "a", at: [0, 0] as [number, number] },
      { path: "b", at: [0, 50] as [number, number] },
    ];
    expect(usableModes(readView(viewOf(boxes, [])), new Map())).toEqual(["structure"]);
    const view = viewOf(boxes, [], { has_time: true, has_memory: true, devices: ["", "GPU"] });
    const a = facts(2, { memory_bytes: [100, 400], weight_bits: [8, 32], compute_micros: [5, 0] });
    const drawing = readView({ ...view, boxes: { ...view.boxes, a } });
    expect(usableModes(drawing, new Map())).toEqual(["bits", "memory", "time", "device", "structure"]);
    expect([...lookOf(drawing, "memory", "a", new Map()).heat]).toEqual([3, 5]);
    expect(lookOf(drawing, "time", "a", new Map()).texts).toEqual(["0.005 ms", ""]);
    expect(legendOf(drawing, "memory").to).toBe("400 B");
    expect(legendOf(drawing, "device").names).toEqual([{ colour: 1, name: "GPU" }]);
  });
  it("are of one scale in both panes, that of the legend", () => {
    const boxes = [
      { path: "a", at: [0, 0] as [number, number] },
      { path: "b", at: [0, 50] as [number, number] },
    ];
    const view = viewOf(boxes, [], { has_memory: true }, true);
    const [a, b] = [facts(2, { memory_bytes: [400, 100] }), facts(2, { memory_bytes: [100, 25] })];
    const drawing = readView({ ...view, boxes: { ...view.boxes, a, b } });
    expect([...lookOf(drawing, "memory", "a", new Map()).heat]).toEqual([5, 3]);
    expect([...lookOf(drawing, "memory", "b", new Map()).heat]).toEqual([3, 1]);
  });
});

describe("sources", () => {
  const response = {
    snapshot: 1,
    runs: ["m/fp32", "m/int8", "s/initial_graph", "s/after_gptq", "m/int8"],
    tags: ["g", "g", "g", "g", "keras"],
    kinds: ["run", "run", "run", "run", "keras"],
    models: ["m", "m", "s", "s", "m"],
    variants: ["fp32", "int8", "initial_graph", "after_gptq", "int8"],
    wall_times: [1, 1, 1, 1, 1],
    versions: ["1", "1", "1", "1", "1"],
    profiles: [[], [], [], [], []],
  };
  const sources = readSources(response);
  const timeline: Timeline = {
    experiment: "s",
    model: "s",
    names: ["initial_graph", "stats", "after_gptq"],
    titles: [],
    runs: ["s/initial_graph", "s/stats", "s/after_gptq"],
    has_graph: [true, false, true],
    has_resources: [],
    histogram_counts: [],
  };
  const wanted = { graph: null, with: null, stage: null, model: null, a: "fp32", b: "int8" };

  it("are the pair of the header where it was logged", () => {
    const shown = chooseSources(sources, [timeline], wanted);
    expect([shown?.a.run, shown?.b?.run, shown?.timeline]).toEqual(["m/fp32", "m/int8", null]);
  });
  it("are of one model, also where the header has all of them", () => {
    const models = ["beta", "beta", "alpha", "alpha"],
      variants = ["fp32", "int4", "fp32", "int8"];
    const runs = ["beta/fp32", "beta/int4", "fp32", "int8"],
      each = <T>(value: T): T[] => runs.map(() => value);
    const several = readSources({
      snapshot: 1,
      runs,
      models,
      variants,
      tags: each("g"),
      kinds: each("run"),
      wall_times: each(1),
      versions: each("1"),
      profiles: each([]),
    });
    const chosen = (more: Partial<typeof wanted> | { model: string }): unknown[] => {
      const shown = chooseSources(several, [], { ...wanted, ...more });
      return [shown?.a.run, shown?.b?.run];
    };
    expect(chosen({})).toEqual(["fp32", "int8"]);
    expect(chosen({ b: "int4" })).toEqual(["beta/fp32", "beta/int4"]);
    expect(chosen({ model: "alpha" })).toEqual(["fp32", "int8"]);
  });
  it("are stepped through from stage to stage, past those without a graph", () => {
    const gaps = { ...timeline, has_graph: timeline.names.map((_, i) => i !== 1) };
    expect(firstStage({ timeline: gaps })).toBe("initial_graph");
    expect(nextStage({ timeline: gaps, stage: 0 }, 1)).toBe(timeline.names[2]);
    expect(nextStage({ timeline: gaps, stage: 2 }, -1)).toBe("initial_graph");
    expect(nextStage({ timeline: gaps, stage: timeline.names.length - 1 }, 1)).toBeNull();
    expect(nextStage({ timeline: null, stage: 0 }, 1)).toBeNull();
  });
  it("are waited for only where there is something to come", () => {
    const onItsWay = (wanted: string | null): boolean => isOnItsWay({ timeline, stage: 0 }, wanted);
    expect(["after_gptq", "initial_graph", "stats", "no such stage", null].map(onItsWay)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(isOnItsWay({ timeline: null, stage: 0 }, "after_gptq")).toBe(false);
  });
  it("are the first stage and the chosen one of a model with stages", () => {
    const last = chooseSources(sources, [timeline], { ...wanted, model: "s" });
    expect([last?.a.run, last?.b?.run, last?.stage]).toEqual(["s/initial_graph", "s/after_gptq", 2]);
    const first = chooseSources(sources, [timeline], { ...wanted, stage: "initial_graph" });
    expect([first?.a.run, first?.b]).toEqual(["s/initial_graph", null]);
  });
  it("are what the address names, also a second graph of a run", () => {
    const shown = chooseSources(sources, [timeline], { ...wanted, graph: "m/int8|keras", with: "m/fp32" });
    expect(shown?.a.tag).toBe("keras");
    expect(nameOf(shown!.a)).toBe("int8 (keras)");
    expect(chooseSources(sources, [], { ...wanted, graph: "gone", a: "x", b: "y" })?.a.run).toBe("m/fp32");
    expect(chooseSources([], [], wanted)).toBeNull();
  });
  it("are joined with layers only where both variants have some", () => {
    const sides = {
      snapshot: 1,
      models: ["m", "m"],
      variants: ["fp32", "int8"],
      table_variants: ["", ""],
      runs: ["r", "r"],
      tensor_counts: [1, 1],
    };
    expect(
      pairWithLayers(sides, [
        { model: "m", a: "fp32", b: "" },
        { model: null, a: "fp32", b: "int8" },
      ])?.b,
    ).toBe("int8");
    expect(pairWithLayers(sides, [{ model: "other", a: "fp32", b: "int8" }])).toBeNull();
  });
});

describe("strokes", () => {
  it("run straight down and bend softly", () => {
    const said: string[] = [];
    const path = {
      moveTo: (x: number, y: number) => said.push(`M${x},${y}`),
      lineTo: (x: number, y: number) => said.push(`L${x},${y}`),
      bezierCurveTo: (...n: number[]) => said.push(`C${n.join()}`),
      closePath: () => said.push("Z"),
    };
    linePath(path, [5, 0, 5, 10, 25, 30]);
    expect(said).toEqual(["M5,0", "L5,10", "C5,20,25,20,25,30"]);
    linePath(path, []);
    tipPath(path, [0, 30, 0, 10]);
    expect(said.slice(3)).toEqual(["M-3,15", "L3,15", "L0,10", "Z"]);
    expect(boundsOf([5, 0, 25, 30])).toEqual([5, 0, 25, 30]);
  });
  it("name operators without the namespace of PyTorch", () => {
    expect(["aten::_convolution", "aten::relu", "prim::Constant", "Conv", "a::"].map(withoutNamespace)).toEqual([
      "convolution",
      "relu",
      "Constant",
      "Conv",
      "a::",
    ]);
  });
  it("cut text that is too long", () => {
    const context = { measureText: (text: string) => ({ width: text.length * 6 }) as TextMetrics, font: "" };
    expect(fitText(context, "layer1.0.conv1", 48)).toBe("layer1.…");
    expect(fitText(context, "conv", 48)).toBe("conv");
    expect(fitText(context, "conv", 3)).toBe("");
  });
  it("leave the minimap out when everything is in sight", () => {
    expect(minimapSize({ width: 100, height: 10_000 }).height).toBe(168);
    expect(seesAll({ x: -5, y: -5, k: 1 }, { width: 10, height: 10 }, { width: 50, height: 50 })).toBe(true);
    expect(seesAll({ x: 5, y: 0, k: 1 }, { width: 10, height: 10 }, { width: 50, height: 50 })).toBe(false);
  });
});

describe("running memory", () => {
  const side: MemorySide = {
    operations: 4,
    unknown_shapes: 0,
    places: [0, 1, 3],
    paths: ["a", "b", "d"],
    bytes: [1000, 4000, 2000],
    peak_path: "b",
    peak_bytes: 4000,
  };
  it("is a step line in one unit", () => {
    const layout = layoutMemory({ snapshot: 1, a: side }, 400, 80)!;
    expect(layout.unit).toBe("kB");
    expect(layout.lines.a).toMatch(/^M44\.0 [\d.]+H[\d.]+V/);
    expect(layout.lines.b).toBe("");
    expect(layout.y(0)).toBe(layout.box.b);
    expect(layoutMemory({ snapshot: 1, a: { ...side, peak_bytes: 0 } }, 400, 80)).toBeNull();
  });
  it("finds the operation under the pointer", () => {
    expect([0.5, 1, 2.9, 3.5].map((place) => side.paths[operationAt(side, place)])).toEqual(["a", "b", "b", "d"]);
  });
});
