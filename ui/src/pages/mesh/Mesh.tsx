// Meshes and clouds of points: one card per mesh and run, all turned together.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { getBytes, getJson } from "../../api/client";
import { useNear } from "../../charts/useNear";
import { resolveColour } from "../../lib/colour";
import { count, plural } from "../../lib/format";
import { centred, FIRST_EYE, type Eye } from "../../lib/space";
import { Nothing } from "../../parts/Nothing";
import { RunKey } from "../../parts/RunKey";
import { SeriesPage, type Series } from "../../parts/SeriesPage";
import { Space } from "../../parts/Space";
import { useKeys } from "../../shell/keys";
import { useResource } from "../../state/resource";
import { facesIn, paintShape, type Shape } from "./paint";
import "./mesh.css";

interface StepsAnswer {
  steps: number[];
  parts: ("vertices" | "faces" | "colors")[];
  shapes: number[][];
}

async function loadShape(run: string, mesh: string, parts: ReadonlySet<string>, step: number, signal: AbortSignal): Promise<Shape> {
  const load = (part: string): Promise<ArrayBuffer | null> => (parts.has(part) ? getBytes("meshes/data", { run, mesh, part, step }, signal) : Promise.resolve(null));
  const [vertices, faces, colours] = await Promise.all([load("vertices"), load("faces"), load("colors")]);
  const points = new Float32Array(vertices ?? new ArrayBuffer(0));
  return { vertices: centred(points), faces: faces && facesIn(new Int32Array(faces), points.length / 3), colours: colours && new Uint8Array(colours) };
}

function LoadedMesh({ run, mesh, eye, onEye }: { run: string; mesh: string; eye: Eye; onEye: (eye: Eye) => void }): JSX.Element {
  const [chosen, setChosen] = useState<number | null>(null);
  const list = useResource(`${run}\0${mesh}`, (signal) => getJson<StepsAnswer>("meshes/steps", { run, mesh }, signal));
  const known = list.state.value.data;
  const steps = useMemo(() => [...new Set(known?.steps ?? [])], [known]);
  const at = Math.min(chosen ?? steps.length - 1, steps.length - 1);
  const step = steps[at];
  const parts = new Set(known?.parts.filter((_, i) => known.steps[i] === step));
  const shape = useResource(JSON.stringify([run, mesh, step, [...parts]]), (signal) => (step === undefined ? Promise.resolve(null) : loadShape(run, mesh, parts, step, signal)));
  const { data, error } = shape.state.value;
  const paint = useMemo(() => (context: CanvasRenderingContext2D, width: number, height: number, element: Element): void => {
    if (data) paintShape(context, data, eye, width, height, resolveColour(element, "--ink-2"));
  }, [data, eye]);
  const problem = list.state.value.error ?? error;
  if (problem && !data) return <p class="trouble" role="alert">{problem.message} <button class="link" onClick={list.retry}>Try again</button></p>;
  const faces = (data?.faces?.length ?? 0) / 3;
  return (
    <>
      <Space eye={eye} onEye={onEye} label={`${mesh} of ${run}`} paint={paint} />
      <div class="values">
        {step !== undefined && <span>step {count(step)}</span>}
        {data && <span class="dim">{plural(data.vertices.length / 3, "vertex", "vertices")}{faces > 0 ? `, ${plural(faces, "face")}` : ""}</span>}
      </div>
      {steps.length > 1 && <input type="range" min="0" max={steps.length - 1} value={at} aria-label={`Step of ${mesh} of ${run}`} aria-valuetext={`step ${step}`} onInput={(event) => setChosen(Number(event.currentTarget.value))} />}
    </>
  );
}

function MeshCard(props: { run: string; mesh: string; eye: Eye; onEye: (eye: Eye) => void }): JSX.Element {
  const { ref, near } = useNear();
  return (
    <section class="card mesh-card" ref={ref} aria-label={`${props.mesh} of ${props.run}`}>
      <header><h3 title={props.mesh}>{props.mesh}</h3></header>
      <div class="note run-line"><RunKey run={props.run} /> <span title={props.run}>{props.run}</span></div>
      {near ? <LoadedMesh {...props} /> : <div class="space" />}
    </section>
  );
}

/** A mesh is logged as one tag for each of its parts: name_1, name_2, name_3. */
const meshOf = (tag: string): string => tag.replace(/_\d+$/, "");
const onePerMesh = (all: readonly Series[]): Series[] => [...new Map(all.map((series) => [`${series.run}\0${meshOf(series.tag)}`, series])).values()];

export default function Mesh(): JSX.Element {
  const [eye, setEye] = useState(FIRST_EYE);
  useKeys([{ key: "z", does: "As it was first", run: () => setEye(FIRST_EYE) }]);
  return (
    <SeriesPage kind="mesh" title="Mesh" note=", turned together" pick={onePerMesh} card={({ run, tag }) => <MeshCard run={run} mesh={meshOf(tag)} eye={eye} onEye={setEye} />} empty={(
      <Nothing title="No meshes yet" about="This page shows meshes and clouds of points, to be turned and compared." lookedFor={<>tags of the plugin <span class="mono">mesh</span></>}>
        <pre>{`writer.add_mesh("scan", vertices, colors=colors, faces=faces, global_step=step)`}</pre>
      </Nothing>
    )} />
  );
}
