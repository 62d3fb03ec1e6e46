// The first page: what compression gave, what it cost, and of which model.
import {COLUMNS, NOTABLE_DROP} from "./columns.js";
import {greatest, matches, median, sortPairs} from "./comparison.js";
import {compact, count, fixed, html, plural, svg, times} from "./dom.js";
import {drawPareto} from "./pareto.js";

const MAX_RANKS = 15;

function tile(name, figure, unit, from, title = from) {
  return html(
    "div", {class: "tile"}, html("div", {class: "name"}, name),
    html("div", {class: "figure"}, figure, unit && html("small", {}, ` ${unit}`)),
    html("div", {class: "from", title}, from));
}

function tiles(pairs) {
  const models = new Set(pairs.map((pair) => `${pair.run}\n${pair.model}`)).size;
  const ratio = greatest(pairs, (pair) => pair.sizeRatio);
  const speed = greatest(pairs, (pair) => pair.speedup);
  const drop = greatest(pairs, (pair) => pair.drop);
  const with_ = (read) => pairs.filter((pair) => read(pair) !== null).length;
  return html(
    "div", {class: "tiles"}, tile("Models", count(models), "", plural(pairs.length, "variant")),
    tile(
      "Best ratio", times(ratio?.sizeRatio ?? null), "",
      ratio ? `${ratio.model}, ${count(with_((pair) => pair.sizeRatio))} sized` :
              "no sizes logged"),
    tile(
      "Best speedup", times(speed?.speedup ?? null), "",
      speed ? `${speed.model}, ${count(with_((pair) => pair.speedup))} timed` : "no times logged"),
    tile(
      "Median drop", fixed(median(pairs.map((pair) => pair.drop))), "pp",
      `${count(pairs.filter((pair) => pair.drop !== null && pair.drop <= 0).length)} of ${
        count(with_((pair) => pair.drop))} lose nothing`),
    tile("Worst drop", fixed(drop?.drop ?? null), "pp", drop ? drop.model : "no accuracy logged"));
}

function ranks(pairs) {
  const scored = sortPairs(
    pairs.filter((pair) => Number.isFinite(pair.aurora ?? NaN)), (pair) => pair.aurora, true);
  const shown = scored.slice(0, MAX_RANKS);
  if (shown.length === 0) {
    return html(
      "p", {class: "note"},
      "No variant has a score: it takes accuracy and at least one of throughput, latency, power or memory of both sides.");
  }
  const most = Math.max(1.05, ...shown.map((pair) => pair.aurora));
  const least = Math.min(1, ...shown.map((pair) => pair.aurora));
  const at = (value) => ((value - least) / (most - least)) * 100;
  const bar = (pair) => svg(
    "svg", {"aria-hidden": "true"}, svg("rect", {
      class: "bar",
      x: `${at(Math.min(1, pair.aurora))}%`,
      width: `${Math.abs(at(pair.aurora) - at(1))}%`,
      y: 6,
      height: 10
    }),
    svg("line", {class: "even", x1: `${at(1)}%`, x2: `${at(1)}%`, y1: 0, y2: 22}));
  return [
    html(
      "ol", {class: "ranks"},
      html(
        "li", {class: "rank head", "aria-hidden": "true"}, html("span"), html("span", {}, "1.00"),
        html("span", {class: "num"}, "score"), html("span", {class: "num"}, "cover")),
      shown.map(
        (pair) => html(
          "li", {
            class: "rank",
            "data-id": pair.id,
            title: `${pair.model}, ${pair.auroraComputed ? "computed here" : "as logged"}`
          },
          html("span", {class: "label"}, pair.model), bar(pair),
          html("span", {class: "num"}, fixed(pair.aurora)),
          html("span", {class: "num none"}, fixed(pair.coverage))))),
    html(
      "p", {class: "note"},
      `${
        shown.length < scored.length ?
          `The first ${shown.length} of ${count(scored.length)} with a score. ` :
          ""}${plural(pairs.length - scored.length, "variant")} without: see the table.`),
  ];
}

export class Overview {
  #sort = {key: "drop", descending: true};
  #axis = null;
  #onResize = null;

  /** Fills `main`; called again whenever data or filter change. */
  show(main, {pairs, filter, readout, runCount}) {
    if (pairs.length === 0) {
      main.replaceChildren(noModels(runCount));
      return;
    }
    const shown =
      pairs.filter((pair) => matches(`${pair.model} ${pair.variant} ${pair.run}`, filter));
    const has = (axis) =>
      pairs.filter((pair) => pair[axis].missing.length === 0 && pair.accuracy.missing.length === 0)
        .length;
    if (this.#axis === null) this.#axis = has("size") > 0 ? "size" : "latency";
    const again = () => this.show(main, {pairs, filter, readout, runCount});
    const choice = (axis, title) => html(
      "button", {
        type: "button",
        disabled: has(axis) === 0,
        title: has(axis) === 0 ? `no model has a ${axis} of both sides` : null,
        "aria-pressed": String(this.#axis === axis),
        onclick: () => {
          this.#axis = axis;
          again();
        },
      },
      title);

    const plot = html("div", {class: "plot"});
    const note = html("span", {class: "note"});
    const page = html(
      "div", {},
      html(
        "div", {class: "page-bar"}, html("h1", {}, "Overview"),
        html(
          "span", {class: "note"},
          filter ? `${count(shown.length)} of ${plural(pairs.length, "variant")}` :
                   `${plural(pairs.length, "variant")} against ${baselines(pairs)}`),
        html(
          "span", {class: "seg push", role: "group", "aria-label": "Horizontal axis"},
          choice("size", "Size"), choice("latency", "Latency"))),
      tiles(shown),
      html(
        "div", {class: "charts"},
        html(
          "section", {class: "panel"},
          html(
            "div", {class: "panel-head"}, html("h2", {}, `Accuracy against ${this.#axis}`), note),
          plot),
        html(
          "section", {class: "panel"},
          html(
            "div", {class: "panel-head"}, html("h2", {}, "AURORA"),
            html("span", {class: "note"}, "1.00 is break-even with the baseline, more is better")),
          ranks(shown))),
      html("div", {class: "scroll"}, this.#table(shown, again)));
    const scroll = main.scrollTop;
    main.replaceChildren(page);
    main.scrollTop = scroll;

    const light = (id) => {
      plot.classList.toggle(
        "has-hot", id !== null && plot.querySelector(`[data-id="${CSS.escape(id)}"]`) !== null);
      for (const element of main.querySelectorAll("[data-id]"))
        element.classList.toggle("hot", element.dataset.id === id);
    };
    const draw = () => {
      const drawn = drawPareto(plot, shown, this.#axis, {
        point: (pair, event) => {
          light(pair.id);
          readout.show(event, pair.model, facts(pair));
        },
        leave: () => {
          light(null);
          readout.hide();
        },
      });
      note.replaceChildren(
        html("span", {class: "in-a"}, "● baseline"), " → ",
        html("span", {class: "in-b"}, "◆ variant"),
        `; ${drawn} of ${shown.length} logged ${
          this.#axis === "size" ? "a size" : "a latency"}; the thin line is the front`);
    };
    draw();
    page.addEventListener(
      "pointerover", (event) => light(event.target.closest?.("[data-id]")?.dataset.id ?? null));
    if (this.#onResize) removeEventListener("resize", this.#onResize);
    this.#onResize = () => {
      if (plot.isConnected) draw();
    };
    addEventListener("resize", this.#onResize);
  }

  #table(pairs, again) {
    const column = COLUMNS.find((entry) => entry.key === this.#sort.key);
    const sorted = sortPairs(pairs, column.read, this.#sort.descending);
    const drops =
      pairs.map((pair) => Math.abs(pair.drop ?? 0)).filter(Number.isFinite).sort((a, b) => a - b);
    // One disaster must not flatten all the others.
    const usual = drops[Math.floor(drops.length * 0.9)] ?? 0;
    const scale = Math.max(NOTABLE_DROP, Math.min(drops.at(-1) ?? 0, 8 * usual));
    const head = ({key, title, unit, pair, text}) => html(
      "th", {
        class: `col-${key} ${text ? "" : "num"}`,
        scope: "col",
        "aria-sort": this.#sort.key === key ? (this.#sort.descending ? "descending" : "ascending") :
                                              null,
      },
      html(
        "button", {
          type: "button",
          onclick: () => {
            this.#sort = {key, descending: this.#sort.key === key ? !this.#sort.descending : !text};
            again();
          },
        },
        title,
        pair &&
          [" ", html("span", {class: "in-a"}, "●"), " → ", html("span", {class: "in-b"}, "◆")],
        unit && `, ${unit}`));
    return html(
      "table", {class: "table"},
      html("caption", {class: "sr"}, "All variants against their baselines"),
      html("thead", {}, html("tr", {}, COLUMNS.map(head))),
      html(
        "tbody", {},
        sorted.map(
          (pair) => html(
            "tr", {"data-id": pair.id},
            COLUMNS.map(
              ({key, cell, text}) => html(
                "td", {
                  class: `col-${key} ${text ? (key === "variant" ? "" : "clip") : "num"}`,
                  title: key === "model" ? pair.run : null
                },
                cell(pair, scale)))))));
  }
}

function baselines(pairs) {
  const names = [...new Set(pairs.map((pair) => pair.baseline))];
  return names.length <= 2 ? names.join(" and ") : plural(names.length, "baseline");
}

function facts(pair) {
  const both = (values, format, unit) =>
    (values.missing.length ? "not logged" : `${format(values.a)} → ${format(values.b)} ${unit}`);
  return [
    ["Variant", `${pair.baseline} → ${pair.variant}`],
    ["Accuracy", both(pair.accuracy, fixed, "%")],
    ["Drop", `${fixed(pair.drop)} pp`],
    ["Size", both(pair.size, compact, "MB")],
    ["Ratio", times(pair.sizeRatio)],
    ["Latency", both(pair.latency, compact, "ms")],
    ["Speedup", times(pair.speedup)],
    ["AURORA", fixed(pair.aurora)],
  ];
}

function noModels(runCount) {
  return html(
    "section", {class: "empty"}, html("h1", {}, "No comparison in these runs"),
    html(
      "p", {},
      `There are ${
        plural(runCount, "run")}, but none holds a model in two variants. The scalars are under `,
      html("a", {href: "#/runs"}, html("u", {}, "Runs")), "."),
    html("p", {}, "A model appears here when its variants are logged:"),
    html(
      "pre", {},
      "compression-board import results.json\n\nresnet18/metrics/accuracy/fp32          0.6976\nresnet18/metrics/accuracy/int8          0.6949\nresnet18/performance/model_size_mb/int8 11.2"));
}
