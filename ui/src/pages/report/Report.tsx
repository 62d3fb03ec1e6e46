// The report before it is saved. Users choose its content on the left; the report itself is shown on the right.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { getText, type Params } from "../../api/client";
import { csvOf, saveAs } from "../../base/text/csv";
import { isRules, POLICIES } from "../../domain/models/gates";
import { policy } from "../../domain/models/policy";
import { plural } from "../../base/text/format";
import { inNaturalOrder } from "../../base/text/natural";
import { Breakable } from "../../widgets/Breakable";
import { EmptyPage } from "../../domain/live/EmptyPage";
import { shellFolder } from "../../domain/live/Snippet";
import { Menu } from "../../widgets/Menu";
import { listOf, listText, query, setQuery } from "../../base/address";
import { comparison, sideA, sideB } from "../../domain/models/pair";
import { useResource } from "../../domain/live/resource";
import "./report.css";

const SECTIONS = [
  { id: "summary", text: "Verdict and key metrics" },
  { id: "gates", text: "Gates" },
  { id: "pareto", text: "Quality against size" },
  { id: "models", text: "All metrics" },
  { id: "aurora", text: "AURORA" },
  { id: "layers", text: "Worst layers" },
  { id: "tuning", text: "Tuning" },
  { id: "missing", text: "Missing data" },
] as const;

const TITLE = "Compression report";

/** Shows the report in the page with its own styles, without the page's stylesheet. */
function Preview({ html }: { html: string }): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    // The stylesheet is removed from the report and added in another way, because the content security policy of the
    // page forbids styles inside documents.
    const [, style = ""] = /<style>([^]*?)<\/style>/.exec(html) ?? [];
    const [text = ""] = /<article[^]*<\/article>/.exec(html) ?? [];
    const parsed = new DOMParser().parseFromString(text, "text/html"); // The parsed document runs no scripts.
    const look = new CSSStyleSheet();
    look.replaceSync(style);
    const theme = new CSSStyleSheet();
    theme.replaceSync(
      ":host { color-scheme: inherit; display: block; } .report { margin: 0; padding-inline: var(--gutter); }",
    );
    root.adoptedStyleSheets = [look, theme];
    const article = parsed.querySelector("article");
    root.replaceChildren(...(article ? [document.importNode(article, true)] : []));
  }, [html]);
  return <div class="report-paper" ref={host} />;
}

function paramsOf(): Params {
  const sections = listOf(query.value.get("parts"));
  return {
    a: sideA.value,
    b: sideB.value,
    policy: policy.value,
    title: query.value.get("title"),
    model: listOf(query.value.get("models")),
    section: sections,
  };
}

function saveTable(kind: "csv" | "json"): void {
  const table = comparison.value;
  if (!table) return;
  const wanted = new Set(listOf(query.value.get("models")));
  const rows = table.models
    .filter((model) => wanted.size === 0 || wanted.has(model.name))
    .flatMap((model) =>
      table.variants.flatMap((variant) =>
        table.metrics.flatMap((metric) => {
          const cell = model.cell(variant, metric.name);
          return cell
            ? [
                {
                  model: model.name,
                  variant,
                  metric: metric.name,
                  unit: metric.unit,
                  value: cell.value,
                  run: cell.run,
                  tag: cell.tag,
                },
              ]
            : [];
        }),
      ),
    );
  if (kind === "json") return saveAs("compression.json", JSON.stringify(rows, null, 1), "application/json");
  saveAs(
    "compression.csv",
    csvOf(
      ["model", "variant", "metric", "unit", "value", "run", "tag"],
      rows.map((row) => [row.model, row.variant, row.metric, row.unit, row.value, row.run, row.tag]),
    ),
    "text/csv",
  );
}

function Choices({
  label,
  all,
  chosen,
  onChange,
}: {
  label: string;
  all: readonly { id: string; text: string }[];
  chosen: ReadonlySet<string>;
  onChange: (chosen: string[]) => void;
}): JSX.Element {
  return (
    <fieldset>
      <legend>{label}</legend>
      {all.map(({ id, text }) => (
        <label key={id} class="tick">
          <input
            type="checkbox"
            checked={chosen.has(id)}
            onChange={() =>
              onChange(
                all.map((item) => item.id).filter((item) => (item === id ? !chosen.has(item) : chosen.has(item))),
              )
            }
          />
          <span title={text}>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}

export default function Report(): JSX.Element {
  const table = comparison.value;
  const [words, setWords] = useState("");
  const side = useRef<HTMLElement>(null);
  // Without the comparison table, A and B are unknown, and the report would be about other variants.
  const params = table && paramsOf();
  const request = JSON.stringify(params);
  const { state, retry } = useResource(request, async (signal) =>
    params ? { request, html: await getText("compression/report", params, signal) } : null,
  );
  if (!table) return <div class="view" aria-busy="true" />;
  if (table.models.length === 0) return <Empty />;

  const { data, error } = state.value;
  const html = data?.html;
  // If only the data has changed, the new report replaces the old one without a loading state.
  const otherwise = data?.request !== request;
  const parts = listOf(query.value.get("parts"));
  const models = listOf(query.value.get("models"));
  const sides = [sideA.value, sideB.value];
  const names = inNaturalOrder(
    table.models
      .filter((model) => table.metrics.some((metric) => sides.some((side) => model.cell(side, metric.name))))
      .map((model) => model.name),
  );
  const found = names.filter((name) => name.toLowerCase().includes(words.toLowerCase()));
  const setModels = (chosen: readonly string[]): void =>
    setQuery({ models: chosen.length === names.length ? null : listText(chosen) }, "replace");
  return (
    <div class="view report-view">
      <aside ref={side} class="filters report-side" aria-label="Content of the report">
        <label class="report-title">
          Title
          <input
            class="field"
            value={query.value.get("title") ?? TITLE}
            onChange={(event) =>
              setQuery({ title: event.currentTarget.value === TITLE ? null : event.currentTarget.value }, "replace")
            }
          />
        </label>
        <Choices
          label="Parts"
          all={SECTIONS}
          chosen={new Set(parts.length > 0 ? parts : SECTIONS.map((s) => s.id))}
          onChange={(chosen) =>
            setQuery({ parts: chosen.length === SECTIONS.length ? null : listText(chosen) }, "replace")
          }
        />
        <fieldset>
          <legend>
            Models{" "}
            <span class="dim">{models.length > 0 ? `${models.length} of ${names.length}` : `all ${names.length}`}</span>
          </legend>
          {names.length > 8 && (
            <input
              class="field"
              type="search"
              aria-label="Find models"
              placeholder="Find"
              value={words}
              onInput={(event) => setWords(event.currentTarget.value)}
            />
          )}
          {models.length > 0 && (
            <button class="link" onClick={() => setQuery({ models: null }, "replace")}>
              All models
            </button>
          )}
          {found.slice(0, 60).map((name) => (
            <label key={name} class="tick">
              <input
                type="checkbox"
                checked={models.length === 0 || models.includes(name)}
                onChange={() =>
                  setModels(
                    models.length === 0
                      ? [name]
                      : models.includes(name)
                        ? models.filter((m) => m !== name)
                        : [...models, name],
                  )
                }
              />
              <span class="whole-name">
                <Breakable name={name} />
              </span>
            </label>
          ))}
          {found.length > 60 && <span class="note">and {found.length - 60} more models; type a name to find them</span>}
        </fieldset>
      </aside>
      <div class="main-column">
        <div class="page-bar">
          <h1>Report</h1>
          <button class="link to-choices" onClick={() => side.current?.scrollIntoView()}>
            Sections and models
          </button>
          <span class="note">
            {plural(models.length > 0 ? models.length : names.length, "model")}
            <span class="plain">, in one HTML file without external resources</span>
          </span>
          <span class="push label">
            <Menu
              label={`Policy: ${policy.value}`}
              value={policy.value}
              choices={[
                ...POLICIES.map((p) => ({ value: p.name, text: p.name })),
                ...(isRules(policy.value) ? [{ value: policy.value, text: policy.value }] : []),
              ]}
              onPick={(name) => setQuery({ policy: name === POLICIES[0]!.name ? null : name })}
            >
              <span class="dim">Policy</span> {policy.value}
            </Menu>
            <button
              class="pick strong"
              disabled={!html}
              onClick={() => html && saveAs("report.html", html, "text/html")}
            >
              Save HTML
            </button>
            <button class="link" onClick={() => window.print()}>
              Print
            </button>
            <button class="link" onClick={() => saveTable("csv")}>
              CSV
            </button>
            <button class="link" onClick={() => saveTable("json")}>
              JSON
            </button>
          </span>
        </div>
        {error && (
          <p class="trouble" role="alert">
            {error.message}{" "}
            <button class="link" onClick={retry}>
              Try again
            </button>
          </p>
        )}
        <div class={otherwise && html ? "stale" : ""} aria-busy={otherwise && !error}>
          {html && <Preview html={html} />}
        </div>
      </div>
    </div>
  );
}

function Empty(): JSX.Element {
  return (
    <EmptyPage
      title="Nothing to report yet"
      about="This page writes a report about the cost of compression into one file: the verdict, the gates, the trade-off and the worst layers."
      lookedFor={
        <>
          metrics of a model and a variant, such as <span class="mono">alexnet/metrics/accuracy/int8</span>
        </>
      }
    >
      <p>Create the same report from a terminal:</p>
      <pre>{`compression-board report \\
    --logdir ${shellFolder()} -o report.html`}</pre>
    </EmptyPage>
  );
}
