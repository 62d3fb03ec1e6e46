// Accuracy against what it costs: an arrow from each baseline to its variant, and the front.
import {paretoFront} from "./comparison.js";
import {compact, fixed, svg} from "./dom.js";
import {extent, linearScale, linearTicks, logScale, logTicks} from "./scale.js";

const MARGIN = {
  top: 14,
  right: 24,
  bottom: 40,
  left: 40
};

/** Where each mark goes, and which of the names find room. Pure. */
export function layoutPareto(pairs, axis, width, height) {
  const usable = pairs.filter(
    ({accuracy, [axis]: cost}) => Number.isFinite(accuracy.a ?? NaN) &&
      Number.isFinite(accuracy.b ?? NaN) && cost.a > 0 && cost.b > 0,
  );
  const inner = {
    left: MARGIN.left,
    right: width - MARGIN.right,
    top: MARGIN.top,
    bottom: height - MARGIN.bottom
  };
  const costs = usable.flatMap((pair) => [pair[axis].a, pair[axis].b]);
  const [lowX, highX] =
    costs.length ? [Math.min(...costs) * 0.8, Math.max(...costs) * 1.25] : [1, 10];
  const [lowY, highY] = extent(usable.flatMap(({accuracy}) => [accuracy.a, accuracy.b]));
  const x = logScale(lowX, highX, inner.left, inner.right);
  const y = linearScale(lowY, highY, inner.bottom, inner.top);
  const marks = usable.map((pair) => ({
                             pair,
                             from: {x: x(pair[axis].a), y: y(pair.accuracy.a)},
                             to: {x: x(pair[axis].b), y: y(pair.accuracy.b)},
                           }));
  const front = paretoFront(usable.map((pair) => ({x: pair[axis].b, y: pair.accuracy.b, pair})));
  return {
    inner,
    marks,
    front: front.map((point) => ({x: x(point.x), y: y(point.y), pair: point.pair})),
    xTicks: logTicks(lowX, highX).map((tick) => ({at: x(tick), text: compact(tick)})),
    yTicks: linearTicks(lowY, highY, 6).map((tick) => ({at: y(tick), text: fixed(tick, 0)})),
    labels: placeLabels(marks, front.map((point) => point.pair), inner),
  };
}

/** Names beside their marks, those on the front first, left out where they would touch anything. */
function placeLabels(marks, preferred, inner) {
  const around = ({x, y}, size) =>
    ({left: x - size, right: x + size, top: y - size, bottom: y + size});
  const taken = marks.flatMap(
    ({
      from,
      to
    }) => [around(from, 5), around(to, 5), ...along(from, to).map((point) => around(point, 1))]);
  const touches = (box) => taken.some(
    (other) => box.left < other.right && box.right > other.left && box.top < other.bottom &&
      box.bottom > other.top);
  const order = [...marks].sort(
    (one, two) => Number(preferred.includes(two.pair)) - Number(preferred.includes(one.pair)));
  const labels = [];
  for (const {pair, to} of order) {
    const width = pair.model.length * 5.8 + 2;
    if (width > 150) continue;
    const places = [
      {left: to.x - 9 - width, top: to.y - 7, anchor: "end", x: to.x - 9, y: to.y + 4},
      {left: to.x + 9, top: to.y - 7, anchor: "start", x: to.x + 9, y: to.y + 4},
      {left: to.x - 4, top: to.y + 6, anchor: "start", x: to.x - 4, y: to.y + 17},
      {left: to.x - 4, top: to.y - 20, anchor: "start", x: to.x - 4, y: to.y - 9},
    ];
    for (const place of places) {
      const box =
        {left: place.left, right: place.left + width, top: place.top, bottom: place.top + 14};
      if (
        box.left < inner.left || box.right > inner.right + 20 || box.top < 0 ||
        box.bottom > inner.bottom)
        continue;
      if (touches(box)) continue;
      taken.push(box);
      labels.push({text: pair.model, id: pair.id, x: place.x, y: place.y, anchor: place.anchor});
      break;
    }
  }
  return labels;
}

/** Points on the way, close enough that no name fits between two of them. */
function along(from, to) {
  const steps = Math.floor(Math.hypot(to.x - from.x, to.y - from.y) / 8);
  return Array.from({length: steps}, (_, i) => {
    const part = (i + 0.5) / steps;
    return {x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part};
  });
}

const diamond = ({x, y}) => `M${x} ${y - 4.5}L${x + 4.5} ${y}L${x} ${y + 4.5}L${x - 4.5} ${y}Z`;

function arrow({from, to}) {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length < 12) return `M${from.x} ${from.y}L${to.x} ${to.y}`;
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const tip = {x: to.x - dx * 6, y: to.y - dy * 6};
  const wing = (side) => `${tip.x - dx * 5 - side * dy * 3} ${tip.y - dy * 5 + side * dx * 3}`;
  return `M${from.x} ${from.y}L${tip.x} ${tip.y}M${wing(1)}L${tip.x} ${tip.y}L${wing(-1)}`;
}

/** The front as stairs: between two choices, nothing better is to be had. */
function stairs(front) {
  return front.map(({x, y}, i) => (i === 0 ? `M${x} ${y}` : `H${x}V${y}`)).join("");
}

/** `axis` is "size" or "latency"; `on` hears about pointing: on.point(pair, event), on.leave(). */
export function drawPareto(place, pairs, axis, on) {
  const {width, height} = place.getBoundingClientRect();
  const {inner, marks, front, xTicks, yTicks, labels} =
    layoutPareto(pairs, axis, Math.max(width, 200), height);
  const names = new Map(labels.map((label) => [label.id, label]));
  const title = axis === "size" ? "model size, MB (log)" : "mean latency, ms (log)";
  place.replaceChildren(
    svg(
      "svg", {
        class: "chart",
        role: "img",
        "aria-label":
          `Accuracy against ${title} of ${marks.length} variants; the table below has the figures`
      },
      yTicks.map(
        ({at, text}) =>
          [svg("path", {class: "grid", d: `M${inner.left} ${Math.round(at)}H${inner.right}`}),
           svg("text", {x: inner.left - 8, y: at + 4, "text-anchor": "end"}, text),
  ]),
      xTicks.map(
        ({at, text}) =>
          [svg("path", {class: "grid", d: `M${Math.round(at)} ${inner.top}V${inner.bottom}`}),
           svg("text", {x: at, y: inner.bottom + 16, "text-anchor": "middle"}, text),
  ]),
      svg("path", {class: "axis", d: `M${inner.left} ${inner.bottom}H${inner.right}`}),
      svg("text", {x: inner.left - 32, y: 4}, "accuracy, %"),
      svg("text", {x: inner.right, y: inner.bottom + 32, "text-anchor": "end"}, title),
      svg("path", {class: "front", d: stairs(front)}), marks.map((mark) => {
        const label = names.get(mark.pair.id);
        return svg(
          "g", {
            class: "pair",
            "data-id": mark.pair.id,
            onpointermove: (event) => on.point(mark.pair, event),
            onpointerleave: on.leave
          },
          svg("path", {class: "arrow", d: arrow(mark)}),
          svg("circle", {class: "mark-a", cx: mark.from.x, cy: mark.from.y, r: 3.5}),
          svg("path", {class: "mark-b", d: diamond(mark.to)}),
          svg("circle", {class: "hit", cx: mark.to.x, cy: mark.to.y, r: 10}),
          svg("circle", {class: "hit", cx: mark.from.x, cy: mark.from.y, r: 8}),
          label &&
            svg(
              "text", {class: "name", x: label.x, y: label.y, "text-anchor": label.anchor},
              label.text));
      })),
  );
  return marks.length;
}
