// One scalar over its steps. NaN is drawn, as a mark on the axis, and breaks the line.
import {compact, count, fixed, svg} from "./dom.js";
import {extent, linearScale, linearTicks} from "./scale.js";

const MARGIN = {
  top: 12,
  right: 16,
  bottom: 28,
  left: 56
};

/** Pieces of line between gaps. Pure. */
export function segments(points) {
  const pieces = [[]];
  for (const point of points) {
    if (Number.isFinite(point.y))
      pieces.at(-1).push(point);
    else if (pieces.at(-1).length)
      pieces.push([]);
  }
  return pieces.filter((piece) => piece.length > 0);
}

export class LineChart {
  #place;
  #series;
  #readout;

  constructor(place, series, readout) {
    this.#place = place;
    this.#series = series;
    this.#readout = readout;
    this.#draw();
    new ResizeObserver(() => {
      if (place.isConnected) this.#draw();
    }).observe(place);
  }

  #draw() {
    const {width, height} = this.#place.getBoundingClientRect();
    const {steps, values} = this.#series;
    const inner = {
      left: MARGIN.left,
      right: Math.max(width, 200) - MARGIN.right,
      top: MARGIN.top,
      bottom: height - MARGIN.bottom
    };
    const [lowX, highX] = extent(steps, 0);
    const [lowY, highY] = extent(values);
    const x = linearScale(lowX, highX, inner.left, inner.right);
    const y = linearScale(lowY, highY, inner.bottom, inner.top);
    const points =
      steps.map((step, i) => ({x: x(step), y: Number.isFinite(values[i]) ? y(values[i]) : NaN}));
    const pieces = segments(points);
    const path =
      pieces.filter((piece) => piece.length > 1)
        .map(
          (piece) =>
            piece.map((point, i) => `${i ? "L" : "M"}${point.x.toFixed(1)} ${point.y.toFixed(1)}`)
              .join(""))
        .join("");
    const dots = steps.length <= 50 ? points.filter((point) => Number.isFinite(point.y)) :
                                      pieces.filter((piece) => piece.length === 1).flat();
    const cross = svg("path", {class: "cross"});
    const yTicks = linearTicks(lowY, highY, 5);
    const digits = Math.max(
      0, Math.min(8, Math.ceil(-Math.log10(Math.abs((yTicks[1] ?? 1) - (yTicks[0] ?? 0)) || 1))));
    const label = (tick) =>
      (Math.abs(tick) >= 1e5 || digits > 6 ? compact(tick) : fixed(tick, digits));
    this.#place.replaceChildren(svg(
      "svg", {
        class: "chart",
        role: "img",
        "aria-label": `${this.#series.tag} over ${count(steps.length)} steps`,
        onpointermove: (event) => this.#point(event, points, inner, cross),
        onpointerleave: () => {
          cross.removeAttribute("d");
          this.#readout.hide();
        },
      },
      svg("rect", {x: 0, y: 0, width: "100%", height: "100%", fill: "transparent"}),
      yTicks.map(
        (tick) =>
          [svg("path", {class: "grid", d: `M${inner.left} ${Math.round(y(tick))}H${inner.right}`}),
           svg("text", {x: inner.left - 8, y: y(tick) + 4, "text-anchor": "end"}, label(tick))]),
      linearTicks(lowX, highX, Math.max(2, Math.floor((inner.right - inner.left) / 90)))
        .filter(Number.isInteger)
        .map(
          (tick) =>
            svg("text", {x: x(tick), y: inner.bottom + 16, "text-anchor": "middle"}, count(tick))),
      svg("path", {class: "axis", d: `M${inner.left} ${inner.bottom}H${inner.right}`}),
      svg("path", {class: "series", d: path}),
      dots.map((point) => svg("circle", {class: "series-dot", cx: point.x, cy: point.y, r: 2.5})),
      points.filter((point) => Number.isNaN(point.y))
        .slice(0, 500)
        .map((point) => svg("path", {class: "nan", d: `M${point.x - 4} ${inner.bottom}h8l-4 -7z`})),
      cross));
  }

  #point(event, points, inner, cross) {
    const at = event.clientX - this.#place.getBoundingClientRect().left;
    let nearest = 0;
    points.forEach((point, i) => {
      if (Math.abs(point.x - at) < Math.abs(points[nearest].x - at)) nearest = i;
    });
    if (!points.length) return;
    cross.setAttribute("d", `M${Math.round(points[nearest].x)} ${inner.top}V${inner.bottom}`);
    const {steps, values, wall_times: times} = this.#series;
    this.#readout.show(event, this.#series.tag, [
      ["Step", count(steps[nearest])],
      ["Value", String(values[nearest])],
      ["Time", new Date(Number(times[nearest]) * 1000).toLocaleString()],
    ]);
  }
}
