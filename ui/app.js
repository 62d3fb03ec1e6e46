// Loads, keeps up to date, and shows the page that the address names.
import {getComparison, getRuns} from "./api.js";
import {toPairs} from "./comparison.js";
import {html, plural} from "./dom.js";
import {Overview} from "./overview.js";
import {RunsPage} from "./runs.js";

const REFRESH_MS = 5000;

const main = document.getElementById("main");
const live = document.getElementById("live");
const filter = document.getElementById("filter");
const pages = {
  overview: new Overview(),
  runs: new RunsPage()
};
const state = {
  runs: null,
  pairs: [],
  problem: null
};

/** The one thing that floats: figures of what the pointer is on. */
const readout = (() => {
  const box = html("div", {class: "readout", role: "presentation"});
  document.body.append(box);
  return {
    show(event, title, facts) {
      box.replaceChildren(
        html("b", {}, title),
        html(
          "dl", {}, facts.map(([name, value]) => [html("dt", {}, name), html("dd", {}, value)])));
      const {width, height} = box.getBoundingClientRect();
      const left = Math.max(8, Math.min(event.clientX + 14, innerWidth - width - 8));
      const below = event.clientY + 18;
      box.style.left = `${left}px`;
      box.style.top =
        `${below + height > innerHeight - 8 ? Math.max(8, event.clientY - height - 12) : below}px`;
      box.classList.add("on");
    },
    hide: () => box.classList.remove("on"),
  };
})();

/** "#/runs?run=a" -> page and parameters. */
function address() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  return {page: path in pages ? path : "overview", parameters: new URLSearchParams(query ?? "")};
}

function emptyLogdir(runs) {
  const logdir = /^[\w./:=@%+,-]+$/.test(runs.logdir) ? runs.logdir :
                                                        `'${runs.logdir.replaceAll("'", "'\\''")}'`;
  return html(
    "section", {class: "empty"}, html("h1", {}, "Nothing logged here yet"),
    html("p", {}, "There are no event files below ", html("code", {}, runs.logdir), "."),
    runs.problems.map((problem) => html("p", {class: "bad"}, problem)),
    html("p", {}, "Benchmark results as JSON become runs with one command:"),
    html("pre", {}, `compression-board import results.json --logdir ${logdir}`),
    html(
      "p", {},
      "Event files of TensorBoard, PyTorch and tensorboardX can be opened as they are: start the board with ",
      html("code", {}, "--logdir"), " on their directory."),
    html("p", {}, "This page looks again every few seconds."));
}

function show() {
  const {page, parameters} = address();
  for (const link of document.querySelectorAll(".nav a")) {
    if (link.dataset.page === page)
      link.setAttribute("aria-current", "page");
    else
      link.removeAttribute("aria-current");
  }
  readout.hide();
  if (state.runs === null) {
    main.replaceChildren(
      html("section", {class: "empty"}, html("p", {}, state.problem ?? "Loading …")));
    return;
  }
  if (state.runs.runs.length === 0) {
    main.replaceChildren(
      state.runs.loaded ?
        emptyLogdir(state.runs) :
        html("section", {class: "empty"}, html("p", {}, `Reading ${state.runs.logdir} …`)));
    return;
  }
  pages[page].show(
    main,
    {...state, filter: filter.value.trim(), parameters, readout, runCount: state.runs.runs.length});
}

function showStatus() {
  live.className = `live ${state.problem ? "off" : "on"}`;
  live.title = state.problem ?? state.runs?.logdir ?? "";
  live.textContent = state.problem ? "no answer" : plural(state.runs.runs.length, "run");
}

async function refresh() {
  try {
    const runs = await getRuns();
    const changed = runs.generation !== state.runs?.generation;
    if (changed) state.pairs = toPairs(await getComparison());
    state.runs = runs;
    state.problem = null;
    document.title = runs.window_title;
    document.getElementById("brand").textContent = runs.window_title;
    if (changed) show();
  } catch (error) {
    state.problem = `The server does not answer: ${error.message}`;
    if (state.runs === null) show();
  }
  showStatus();
}

function chooseTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
}

function stored(name, value) {
  try {
    if (value !== undefined) localStorage.setItem(name, value);
    return localStorage.getItem(name);
  } catch {
    return null;  // Private windows may refuse; then the system's theme it is.
  }
}

chooseTheme(stored("theme"));
document.getElementById("theme").addEventListener("click", () => {
  const now = document.documentElement.dataset.theme ??
    (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  chooseTheme(
    stored("theme", now === "dark" ? "light" : "dark") ?? (now === "dark" ? "light" : "dark"));
});
let pending = 0;
filter.addEventListener("input", () => {
  clearTimeout(pending);
  pending = setTimeout(show, 120);
});
addEventListener("hashchange", show);
addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "")) {
    event.preventDefault();
    filter.focus();
  } else if (event.key === "Escape" && document.activeElement === filter) {
    filter.value = "";
    filter.blur();
    show();
  }
});

await refresh();
setInterval(() => {
  if (!document.hidden) refresh();
}, REFRESH_MS);
