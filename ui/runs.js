// The second page: every run, its tags, and a chart of a scalar.
import {getScalars, getTags, toNumber} from "./api.js";
import {matches} from "./comparison.js";
import {compact, count, html, plural} from "./dom.js";
import {LineChart} from "./line_chart.js";

/** More rows than anybody reads; the filter finds the others. */
const MAX_ROWS = 300;

const hashOf = (parameters) => `#/runs?${new URLSearchParams(parameters)}`;

export class RunsPage {
  #shown = 0;

  /** Fills `main`. `parameters` come from the address: run and tag. */
  async show(main, {runs, filter, parameters, readout}) {
    const turn = (this.#shown += 1);
    const chosen = parameters.get("run");
    const names = runs.runs.map((name, i) => ({name, i})).filter(({name}) => matches(name, filter));
    const list = html(
      "nav", {class: "run-list", "aria-label": "Runs"},
      html(
        "div", {class: "page-bar"}, html("h1", {}, "Runs"),
        html(
          "span", {class: "note"},
          filter ? `${count(names.length)} of ${count(runs.runs.length)}` :
                   count(runs.runs.length))),
      html(
        "ul", {},
        names.slice(0, MAX_ROWS)
          .map(
            ({name, i}) => html(
              "li", {},
              html(
                "a", {href: hashOf({run: name}), "aria-current": name === chosen ? "true" : null},
                html("span", {class: "path"}, name),
                runs.damaged_bytes[i] > 0 &&
                  html(
                    "span", {
                      class: "bad",
                      title: `${count(runs.damaged_bytes[i])} bytes are damaged and were skipped`
                    },
                    "▲"),
                html(
                  "span", {class: "count", title: plural(runs.event_counts[i], "event")},
                  plural(runs.tag_counts[i], "tag")))))),
      names.length > MAX_ROWS &&
        html(
          "p", {class: "note page-bar"},
          `${count(names.length - MAX_ROWS)} more: narrow them with the filter above.`));
    const detail = html(
      "div", {},
      html(
        "p", {class: "note page-bar"},
        chosen ? "Loading …" : "Choose a run to see what it holds."));
    const before = main.querySelector(".run-list")?.scrollTop ?? 0;
    const scroll = main.scrollTop;
    main.replaceChildren(html("div", {class: "runs"}, list, detail));
    list.scrollTop = before;
    main.scrollTop = scroll;
    if (!chosen) return;
    try {
      const tags = await getTags(chosen);
      if (turn === this.#shown) await this.#showTags(detail, tags, parameters.get("tag"), readout);
    } catch (error) {
      if (turn === this.#shown)
        detail.replaceChildren(html("p", {class: "problem"}, error.message));
    }
  }

  async #showTags(detail, tags, chosenTag, readout) {
    const row = (tag, i) => {
      const scalar = tags.kinds[i] === "scalar";
      const steps = tags.min_steps[i] === tags.max_steps[i] ?
        count(tags.min_steps[i]) :
        `${count(tags.min_steps[i])} – ${count(tags.max_steps[i])}`;
      return html(
        "tr", {"aria-selected": tag === chosenTag ? "true" : null},
        html(
          "td", {title: tags.display_names[i] || null},
          scalar ? html("a", {class: "tag-link", href: hashOf({run: tags.run, tag})}, tag) : tag),
        html("td", {}, tags.kinds[i]), html("td", {class: "num"}, count(tags.counts[i])),
        html("td", {class: "num"}, steps),
        html("td", {class: "num"}, compact(toNumber(tags.last_values[i]))));
    };
    const chart = html("section", {class: "panel"});
    detail.replaceChildren(
      html(
        "div", {class: "page-bar"}, html("h1", {class: "path"}, tags.run),
        html("span", {class: "note"}, plural(tags.tags.length, "tag"))),
      chosenTag ? chart : "",
      html(
        "div", {class: "scroll"},
        html(
          "table", {class: "table"},
          html(
            "thead", {},
            html(
              "tr", {}, html("th", {}, "Tag"), html("th", {}, "Kind"),
              html("th", {class: "num"}, "Values"), html("th", {class: "num"}, "Steps"),
              html("th", {class: "num"}, "Last"))),
          html("tbody", {}, tags.tags.map(row)))));
    if (!chosenTag) return;
    const series = await getScalars(tags.run, chosenTag, 2000);
    const plot = html("div", {class: "line-plot"});
    const shown = series.steps.length < series.total_points ?
      `, ${count(series.steps.length)} drawn: the least and greatest of every stretch` :
      "";
    chart.replaceChildren(
      html(
        "div", {class: "panel-head"}, html("h2", {}, chosenTag),
        html("span", {class: "note"}, `${plural(series.total_points, "point")}${shown}`)),
      plot);
    new LineChart(plot, series, readout);
  }
}
