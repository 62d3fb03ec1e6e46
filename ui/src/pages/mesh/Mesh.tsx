// Meshes and point clouds: one card per mesh and run; all cards share one camera.
import { resolveColour } from "../../base/dom/css_colour";
import { meshStepsShape, meshesShape } from "../../api/media";
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { getBytes, getJson } from "../../api/client";
import { nearestIndex } from "../../charts/line/layout";
import { useNear } from "../../base/dom/useNear";
import { count, plural } from "../../base/text/format";
import { centred, lostPoints, type Camera } from "../../base/math/space";
import { EmptyPage } from "../../domain/live/EmptyPage";
import { shownNameOf } from "../../domain/runs/run_names";
import { RunKey } from "../../domain/runs/RunKey";
import { SeriesPage, type Series } from "../../domain/runs/SeriesPage";
import { Snippet } from "../../domain/live/Snippet";
import { SpaceView } from "../../widgets/SpaceView";
import { useCamera } from "../../widgets/useCamera";
import { useSharedStep } from "../../domain/runs/useSharedStep";
import { useResource } from "../../domain/live/resource";
import { readMeshLook } from "./config";
import { facesIn, paintShape, type Shape } from "./paint";
import "./mesh.css";

async function loadShape(
  run: string,
  mesh: string,
  parts: ReadonlySet<string>,
  step: number,
  sample: number,
  signal: AbortSignal,
): Promise<Shape> {
  const load = (part: string): Promise<ArrayBuffer | null> =>
    parts.has(part) ? getBytes("meshes/data", { run, mesh, part, step, sample }, signal) : Promise.resolve(null);
  const [points, faces, colours] = await Promise.all([load("vertices"), load("faces"), load("colors")]);
  const vertices = centred(new Float32Array(points ?? new ArrayBuffer(0)));
  return {
    vertices,
    faces: faces && facesIn(new Int32Array(faces), vertices),
    colours: colours && new Uint8Array(colours),
  };
}

interface MeshProps {
  readonly run: string;
  readonly mesh: string;
  /** The step of all cards. null means the newest step. */
  readonly step: number | null;
  readonly camera: Camera;
  readonly onCamera: (camera: Camera) => void;
}

function LoadedMesh({ run, mesh, step: shared, camera, onCamera }: MeshProps): JSX.Element {
  const [own, setOwn] = useState<{ of: number | null; at: number } | null>(null);
  const [wanted, setSample] = useState(0);
  const list = useResource(`${run}\0${mesh}`, (signal) =>
    getJson(meshStepsShape, "meshes/steps", { run, mesh }, signal),
  );
  const known = list.state.value.data;
  const steps = useMemo(() => [...new Set(known?.steps ?? [])], [known]);
  // A change of the shared step resets the cards that were set to their own step.
  const alone = own !== null && own.of === shared ? own.at : null;
  const at = Math.min(alone ?? (shared === null ? steps.length - 1 : nearestIndex(steps, shared)), steps.length - 1);
  const step = steps[at];
  const here = known?.steps.flatMap((each, i) => (each === step ? [i] : [])) ?? [];
  const parts = new Set(here.map((i) => known?.parts[i] ?? ""));
  const samples = Math.max(1, known?.shapes[here[0] ?? -1]?.[0] ?? 1);
  const sample = Math.min(wanted, samples - 1);
  const config = known?.configs[here[0] ?? -1] ?? "";
  const look = useMemo(() => readMeshLook(config), [config]);
  const shape = useResource(JSON.stringify([run, mesh, step, sample, [...parts]]), (signal) =>
    step === undefined ? Promise.resolve(null) : loadShape(run, mesh, parts, step, sample, signal),
  );
  const { data, error } = shape.state.value;
  const paint = useMemo(
    () =>
      (context: CanvasRenderingContext2D, width: number, height: number, element: Element): void => {
        if (data) paintShape(context, data, camera, width, height, resolveColour(element, "--ink-3"), look);
      },
    [data, camera, look],
  );
  const problem = list.state.value.error ?? error;
  if (problem && !data)
    return (
      <p class="trouble" role="alert">
        {problem.message}{" "}
        <button class="link" onClick={list.state.value.error ? list.retry : shape.retry}>
          Try again
        </button>
      </p>
    );
  const faces = (data?.faces?.length ?? 0) / 3;
  const lost = data ? lostPoints(data.vertices) : 0;
  return (
    <>
      <SpaceView camera={camera} onCamera={onCamera} label={`${mesh} of ${run}`} paint={paint} />
      <div class="values">
        {step !== undefined && <span>step {count(step)}</span>}
        {data && (
          <span class="dim">
            {plural(data.vertices.length / 3, "vertex", "vertices")}
            {faces > 0 ? `, ${plural(faces, "face")}` : ""}
          </span>
        )}
        {lost > 0 && <span class="bad">{plural(lost, "vertex", "vertices")} with NaN or infinity left out</span>}
        {samples > 1 && (
          <button class="link" onClick={() => setSample((sample + 1) % samples)}>
            sample {sample + 1} of {samples}
          </button>
        )}
      </div>
      {steps.length > 1 && (
        <input
          type="range"
          min="0"
          max={steps.length - 1}
          value={at}
          aria-label={`Step of ${mesh} of ${run}`}
          aria-valuetext={`step ${step}`}
          onInput={(event) => setOwn({ of: shared, at: Number(event.currentTarget.value) })}
        />
      )}
    </>
  );
}

function MeshCard(props: MeshProps): JSX.Element {
  const { ref, near } = useNear();
  return (
    <section class="card mesh-card" ref={ref} aria-label={`${props.mesh} of ${props.run}`}>
      <header>
        <h3 title={props.mesh}>{props.mesh}</h3>
      </header>
      <div class="note run-line">
        <RunKey run={props.run} /> <span title={props.run}>{shownNameOf(props.run)}</span>
      </div>
      {near ? <LoadedMesh {...props} /> : <div class="space" />}
    </section>
  );
}

const keyOf = (run: string, tag: string): string => `${run}\0${tag}`;

export default function Mesh(): JSX.Element {
  const [camera, setCamera] = useCamera();
  const { step, slider } = useSharedStep();
  const { state, retry } = useResource("meshes", (signal) => getJson(meshesShape, "meshes", {}, signal));
  const { data, error } = state.value;
  // A mesh has one tag for each of its parts. Writers use different names for these tags: scan_1, scan_VERTEX.
  const names = useMemo(
    () =>
      new Map(
        (data?.names ?? []).flatMap((name, i) =>
          (data?.tags[i] ?? []).map((tag) => [keyOf(data?.runs[i] ?? "", tag), name] as const),
        ),
      ),
    [data],
  );
  const nameOf = ({ run, tag }: Series): string => names.get(keyOf(run, tag)) ?? tag;
  const onePerMesh = (all: readonly Series[]): Series[] => [
    ...new Map(all.map((series) => [keyOf(series.run, nameOf(series)), series])).values(),
  ];
  if (error && !data)
    return (
      <p class="trouble" role="alert">
        {error.message}{" "}
        <button class="link" onClick={retry}>
          Try again
        </button>
      </p>
    );
  if (!data) return <div class="view" aria-busy="true" />;
  return (
    <SeriesPage
      kind="mesh"
      title="Mesh"
      note=", turned together"
      pick={onePerMesh}
      knobs={slider}
      card={(series) => (
        <MeshCard run={series.run} mesh={nameOf(series)} step={step} camera={camera} onCamera={setCamera} />
      )}
      empty={
        <EmptyPage
          title="No meshes yet"
          about="This page shows meshes and point clouds in 3D, which you can turn and compare."
          lookedFor={
            <>
              meshes: tags of the plugin <span class="mono">mesh</span>
            </>
          }
        >
          <Snippet
            lines={["writer.add_mesh(", `    "scan", vertices, colors=colors,`, "    faces=faces, global_step=step)"]}
          />
        </EmptyPage>
      }
    />
  );
}
