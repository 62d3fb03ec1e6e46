// The tools of one chart: overlay another tag, pin, widen, save, fix the y axis.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ChartFiles } from "../line/LineChart";
import { fileName, saveAs } from "../../base/text/csv";
import type { Limits } from "../../base/text/limits";
import { saveSvg } from "../../base/dom/svg_file";
import { Icon, ICONS } from "../../widgets/icons";
import { Menu } from "../../widgets/Menu";
import { savePoints } from "./save";

const MORE = [
  { value: "svg", text: "Save as SVG" },
  { value: "png", text: "Save as PNG" },
  { value: "csv", text: "Save points as CSV" },
  { value: "json", text: "Save points as JSON" },
  { value: "limits", text: "Fix the y axis" },
] as const;

export function CardTools({
  name,
  tags,
  files,
  series,
  pinned,
  wide,
  own = true,
  partners,
  onPin,
  onWide,
  onMix,
  onLimit,
}: {
  name: string;
  tags: readonly string[];
  files: ChartFiles;
  series: () => readonly (readonly [string, string])[];
  pinned: boolean;
  wide: boolean;
  own?: boolean;
  partners: () => readonly string[];
  onPin: () => void;
  onWide: () => void;
  onMix: (tag: string | null) => void;
  onLimit: () => void;
}): JSX.Element {
  const more = async (what: string): Promise<void> => {
    if (what === "limits") return onLimit();
    if (what === "csv" || what === "json") return savePoints(name, series(), what);
    if (what === "svg") {
      const svg = files.svg?.();
      if (svg) saveSvg(name, svg);
      return;
    }
    const png = await files.png?.();
    if (png) saveAs(fileName(name, "png"), png, "image/png");
  };
  // Builds the list of all tags only when the pointer is near the button, because building it for every chart would
  // take too long.
  const [near, setNear] = useState<readonly string[]>([]);
  const arm = (): void => {
    if (own) setNear(partners());
  };
  return (
    <span class="tools" onPointerEnter={arm} onFocusIn={arm}>
      {own && (
        <Menu
          label={`Draw ${name} together with another tag`}
          value=""
          choices={near.filter((tag) => !tags.includes(tag)).map((tag) => ({ value: tag, text: tag }))}
          onPick={onMix}
        >
          <Icon d={ICONS.plus} />
        </Menu>
      )}
      {own &&
        (tags.length > 1 ? (
          <button class="icon" aria-label={`Remove ${name}`} title="Remove" onClick={() => onMix(null)}>
            ×
          </button>
        ) : (
          <button
            class="icon"
            aria-label={`${pinned ? "Unpin" : "Pin"} ${name}`}
            aria-pressed={pinned}
            title="Pin (m)"
            onClick={onPin}
          >
            <Icon d={ICONS.pin} />
          </button>
        ))}
      <button class="icon" aria-label={`Full width: ${name}`} aria-pressed={wide} title="Full width" onClick={onWide}>
        <Icon d={ICONS.wide} />
      </button>
      <Menu label={`More for ${name}`} value="" choices={MORE} onPick={(what) => void more(what)}>
        <Icon d={ICONS.rest} />
      </Menu>
    </span>
  );
}

export function LimitFields({
  name,
  limits,
  onLimits,
}: {
  name: string;
  limits: Limits | null;
  onLimits: (limits: Limits) => void;
}): JSX.Element {
  const [low, high] = limits ?? [null, null];
  const read = (text: string): number | null =>
    text.trim() === "" || !Number.isFinite(Number(text)) ? null : Number(text);
  return (
    <div class="limits label">
      y from
      <input
        class="field"
        type="number"
        step="any"
        aria-label={`Lower limit of ${name}`}
        placeholder="auto"
        value={low ?? ""}
        onChange={(event) => onLimits([read(event.currentTarget.value), high])}
      />
      to
      <input
        class="field"
        type="number"
        step="any"
        aria-label={`Upper limit of ${name}`}
        placeholder="auto"
        value={high ?? ""}
        onChange={(event) => onLimits([low, read(event.currentTarget.value)])}
      />
      <button class="link" onClick={() => onLimits([null, null])}>
        Auto
      </button>
    </div>
  );
}
