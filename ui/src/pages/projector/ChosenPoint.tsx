// The panel of the selected point: its labels, and its nearest neighbours in all dimensions.
import type { JSX } from "preact";
import { count, decimalsOfColumn, fixed } from "../../base/text/format";
import { setQuery } from "../../base/address";
import type { Cloud } from "./data";
import type { Labels } from "./labels";
import type { Neighbour, Nearness } from "./pca";
import { placeInSprite } from "./sprite";

/** The image of one row, cut out of the sprite image that contains the images of all rows. */
export function Picture({
  sprite,
  row,
  side,
}: {
  sprite: NonNullable<Cloud["sprite"]>;
  row: number;
  side: number;
}): JSX.Element {
  const [x, y] = placeInSprite(sprite.size, row);
  const scale = side / Math.max(sprite.size.width, sprite.size.height);
  const [width, height] = [sprite.image.naturalWidth * scale, sprite.image.naturalHeight * scale];
  return (
    <span
      class="picture"
      aria-hidden="true"
      style={{
        width: `${sprite.size.width * scale}px`,
        height: `${sprite.size.height * scale}px`,
        backgroundImage: `url("${sprite.url}")`,
        backgroundSize: `${width}px ${height}px`,
        backgroundPosition: `${-x * scale}px ${-y * scale}px`,
      }}
    />
  );
}

export const nameOf = (labels: Labels | null, row: number): string => labels?.rows[row]?.[0] || `row ${row}`;

/** The labels of a row, if it has other labels than its name. */
export function Facts({ labels, row }: { labels: Labels | null; row: number }): JSX.Element | null {
  if (!labels || labels.columns.length < 2) return null;
  return (
    <dl class="two">
      {labels.columns.map((name, c) => (
        <>
          <dt>{name}</dt>
          <dd>{labels.rows[row]?.[c]}</dd>
        </>
      ))}
    </dl>
  );
}

export function ChosenPoint({
  cloud: { labels, sprite },
  row: chosen,
  near,
  how,
  onChoose,
}: {
  cloud: Cloud;
  row: number;
  near: readonly Neighbour[];
  how: Nearness;
  onChoose: (row: number) => void;
}): JSX.Element {
  const decimals = decimalsOfColumn(near.map(({ far }) => far));
  return (
    <>
      <div class="point-chosen">
        {sprite && <Picture sprite={sprite} row={chosen} side={64} />}
        <div>
          <b>{nameOf(labels, chosen)}</b> <span class="dim">row {count(chosen)}</span>
          <Facts labels={labels} row={chosen} />
        </div>
      </div>
      <div class="panel-head">
        <h2>Nearest</h2>
        <span class="seg push" role="group" aria-label="Distance measure for neighbours">
          <button aria-pressed={how === "cosine"} onClick={() => setQuery({ distance: null })}>
            Cosine
          </button>
          <button aria-pressed={how === "distance"} onClick={() => setQuery({ distance: "1" })}>
            Euclidean
          </button>
        </span>
      </div>
      {near.length === 0 ? (
        <p class="note">A row with non-finite values has no neighbours.</p>
      ) : (
        <table class="table near">
          <tbody>
            {near.map(({ row, far }) => (
              <tr key={row}>
                {sprite && (
                  <td>
                    <Picture sprite={sprite} row={row} side={20} />
                  </td>
                )}
                <td>
                  <button class="link" onClick={() => onChoose(row)}>
                    {nameOf(labels, row)}
                  </button>
                </td>
                <td class="dim num">row {count(row)}</td>
                <td class="num">{fixed(far, decimals)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
