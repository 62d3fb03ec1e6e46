// A histogram as a table, for screen readers and for copying.
import type { JSX } from "preact";
import { fixed, significant } from "../../base/text/format";
import { binRows } from "./bin_rows";
import type { HistogramInput } from "./layout";

export function BinTable({
  input,
  nameA,
  nameB,
  caption,
}: {
  input: HistogramInput;
  nameA: string;
  nameB: string;
  caption: string;
}): JSX.Element {
  const share = (value: number | null): string => (value === null ? "–" : fixed(value, 3));
  return (
    <div class="bin-table" tabIndex={0} role="region" aria-label={caption}>
      <table class="table">
        <caption class="sr">{caption}</caption>
        <thead>
          <tr>
            <th scope="col" class="num">
              From
            </th>
            <th scope="col" class="num">
              To
            </th>
            <th scope="col" class="num in-a">
              ● {nameA}, %
            </th>
            <th scope="col" class="num in-b">
              ◆ {nameB}, %
            </th>
          </tr>
        </thead>
        <tbody>
          {binRows(input).map((row) => (
            <tr key={row.from}>
              <td class="num">{significant(row.from)}</td>
              <td class="num">{significant(row.to)}</td>
              <td class="num">{share(row.a)}</td>
              <td class="num">{share(row.b)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
