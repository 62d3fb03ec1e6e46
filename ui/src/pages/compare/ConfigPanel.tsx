// The settings of A and B: the settings that differ, and the equal settings in a collapsed section.
import { type Setting, configShape } from "../../api/compression/panels";
import type { JSX } from "preact";
import { getJson } from "../../api/client";
import { plural, significant } from "../../base/text/format";
import { query, setQuery } from "../../base/address";
import { useResource } from "../../domain/live/resource";

function Value({ value }: { value: Setting | undefined }): JSX.Element {
  if (value === null || value === undefined)
    return (
      <span class="none" title="not logged">
        –
      </span>
    );
  return <>{typeof value === "number" ? significant(value, 6) : String(value)}</>;
}

export function ConfigPanel({ model, a, b }: { model: string; a: string; b: string }): JSX.Element {
  const { state, retry } = useResource(JSON.stringify(["config", model, a, b]), (signal) =>
    getJson(configShape, "compression/config", { model, a, b }, signal),
  );
  const { data, error } = state.value;
  const settings = data?.settings;
  const all = query.value.has("config");
  const equal = settings?.differ.filter((differs) => !differs).length ?? 0;
  const shown =
    settings?.names
      .map((name, i) => ({ name, a: settings.a[i], b: settings.b[i], differs: settings.differ[i] }))
      .filter(({ differs }) => differs || all) ?? [];
  return (
    <section class="panel" aria-labelledby="config-title">
      <div class="panel-head">
        <h2 id="config-title">Settings</h2>
        {settings && settings.names.length > 0 && (
          <span class="note">{plural(settings.names.length - equal, "difference")}</span>
        )}
        {equal > 0 && (
          <button
            class="link push"
            aria-expanded={all}
            onClick={() => setQuery({ config: all ? null : "all" }, "replace")}
          >
            {all ? "Only differences" : `${equal} more ${equal === 1 ? "is" : "are"} the same`}
          </button>
        )}
      </div>
      {error && !data && (
        <p class="trouble" role="alert">
          {error.message}{" "}
          <button class="link" onClick={retry}>
            Try again
          </button>
        </p>
      )}
      {settings && settings.names.length === 0 && (
        <p class="note">
          No hyperparameters of {a} or {b} were logged.
        </p>
      )}
      {settings && settings.names.length > 0 && shown.length === 0 && (
        <p class="note">
          {a} and {b} were made with the same settings.
        </p>
      )}
      {shown.length > 0 && (
        <table class="table settings">
          <thead>
            <tr>
              <th scope="col">Setting</th>
              <th scope="col">
                <span class="in-a">● {a}</span>
              </th>
              <th scope="col">
                <span class="in-b">◆ {b}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((line) => (
              <tr key={line.name} class={line.differs ? "" : "dim"}>
                <th scope="row">{line.name}</th>
                <td>
                  <Value value={line.a} />
                </td>
                <td>
                  <Value value={line.b} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
