// The size of each layer in A and in B, the largest saving first.
import { bytesShape } from "../../api/compression/panels";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { getJson } from "../../api/client";
import { bytes, bytesColumn, exact, percent, plural } from "../../base/text/format";
import { hrefOf, query, setQuery } from "../../base/address";
import { Name } from "../../widgets/Name";
import { useResource } from "../../domain/live/resource";
import { changeText, readBytes, shareOfSaving } from "./bytes_rows";

const FIRST = 10;
// The maximum number of rows that are shown. The server's response contains all layers.
const MOST = 500;

export function BytesPanel({ model, a, b }: { model: string; a: string; b: string }): JSX.Element {
  const { state, retry } = useResource(JSON.stringify(["bytes", model, a, b]), (signal) =>
    getJson(bytesShape, "compression/bytes", { model, a, b }, signal),
  );
  const { data, error } = state.value;
  const read = useMemo(() => (data ? readBytes(data) : null), [data]);
  const all = query.value.has("bytes");
  const shown = read?.rows.slice(0, all ? MOST : FIRST) ?? [];
  const column = bytesColumn(shown.flatMap((row) => [row.a ?? 0, row.b ?? 0]));
  const share = read ? shareOfSaving(read.rows, read.total, shown.length) : null;
  return (
    <section class="panel" aria-labelledby="bytes-title">
      <div class="panel-head">
        <h2 id="bytes-title">Size per layer</h2>
        {read && read.rows.length > 0 && (
          <span class="note">
            {plural(read.rows.length, "layer")}, <span class="in-a">{bytes(read.total.a)}</span> →{" "}
            <span class="in-b">{bytes(read.total.b)}</span>
            {data?.source === "graphs" ? ", from the two graphs" : ""}
          </span>
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
      {data?.problems.map((problem) => (
        <p key={problem} class="note bad">
          {problem}
        </p>
      ))}
      {read && read.rows.length === 0 && (
        <p class="note">
          Not logged:{" "}
          <span class="mono">
            {model}/layers/…/bytes/{a}
          </span>{" "}
          and <span class="mono">…/{b}</span>, or graphs of the two variants with weights.
        </p>
      )}
      {shown.length > 0 && (
        <table class="bytes">
          <caption class="sr">
            Size in bytes of each layer in {a} and in {b}, the largest saving first
          </caption>
          <colgroup>
            <col class="col-name" />
            <col />
            <col class="col-bytes" />
            <col class="col-bytes" />
            <col class="col-change" />
          </colgroup>
          <thead>
            <tr>
              <th scope="col">Layer, {column.unit}</th>
              <th scope="col">
                <span class="sr">Bars</span>
              </th>
              <th scope="col" class="num">
                <span class="in-a">● {a}</span>
              </th>
              <th scope="col" class="num">
                <span class="in-b">◆ {b}</span>
              </th>
              <th scope="col" class="num">
                Change
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.name}>
                <th scope="row">
                  <a
                    href={
                      data?.source === "graphs"
                        ? hrefOf(["graph"], { model, node: row.name })
                        : hrefOf(["layers"], { model, sel: row.name })
                    }
                    title={row.name}
                  >
                    <Name name={row.name} />
                  </a>
                </th>
                <td class="bars" aria-hidden="true">
                  <i class="bar-a" style={{ width: `${row.barA * 100}%` }} />
                  <i class="bar-b" style={{ width: `${row.barB * 100}%` }} />
                </td>
                <td class="num" title={row.a === null ? undefined : `${exact(row.a)} bytes`}>
                  {row.a === null ? "–" : column.text(row.a)}
                </td>
                <td class="num" title={row.b === null ? undefined : `${exact(row.b)} bytes`}>
                  {row.b === null ? "–" : column.text(row.b)}
                </td>
                <td class={`num ${row.a !== null && row.b !== null && row.b > row.a ? "verdict warn" : "dim"}`}>
                  {changeText(row.a, row.b)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {read && read.rows.length > FIRST && (
        <p class="note">
          {!all && share !== null && <>These layers saved {percent(share, 0)} % of all saved bytes. </>}
          <button class="link" onClick={() => setQuery({ bytes: all ? null : "all" }, "replace")}>
            {all ? "Fewer layers" : `All ${plural(read.rows.length, "layer")}`}
          </button>
          {all && read.rows.length > MOST && ` the first ${MOST} of them`}
        </p>
      )}
    </section>
  );
}
