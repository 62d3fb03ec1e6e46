// How somebody wanted a mesh to look: the configuration that is logged beside it for three.js, as far
// as a picture without a graphics card can follow it. Pure.
import { anything, list as listOf, readOrNull, record } from "../../api/shape";

export interface MeshLook {
  /** Degrees from the bottom to the top of the picture; 0: the camera is far away. */
  readonly fieldOfView: number;
  readonly ambient: number;
  /** From where light comes as the camera sees it, of length 1, and how much. */
  readonly lights: readonly { readonly from: readonly [number, number, number]; readonly strength: number }[];
  readonly wireframe: boolean;
  readonly opacity: number;
  /** The CSS colour of vertices without their own; null: the text colour. */
  readonly colour: string | null;
  /** Pixels; null: as many as fit. */
  readonly pointSize: number | null;
}

/** Lit from the camera. */
export const PLAIN: MeshLook = {
  fieldOfView: 0,
  ambient: 0.45,
  lights: [{ from: [0, 0, 1], strength: 0.55 }],
  wireframe: false,
  opacity: 1,
  colour: null,
  pointSize: null,
};

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields => readOrNull(record(anything), value) ?? {};
const within = (value: unknown, least: number, greatest: number): number | null =>
  typeof value === "number" && Number.isFinite(value) ? Math.max(least, Math.min(greatest, value)) : null;

/** "#ff8800", 0xff8800: what three.js takes; names of colours are left to the default. */
function colourOf(value: unknown): string | null {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffffff)
    return `#${value.toString(16).padStart(6, "0")}`;
  return typeof value === "string" && /^#[0-9a-f]{6}$/i.test(value) ? value : null;
}

function lightsOf(list: unknown): Pick<MeshLook, "ambient" | "lights"> | null {
  const items = readOrNull(listOf(anything), list) ?? [];
  if (items.length === 0) return null;
  let ambient = 0;
  const lights: { from: readonly [number, number, number]; strength: number }[] = [];
  for (const each of items.slice(0, 8)) {
    const light = fieldsOf(each);
    const strength = within(light["intensity"], 0, 2) ?? 1;
    if (light["cls"] === "AmbientLight") ambient += strength;
    else if (light["cls"] === "DirectionalLight" || light["cls"] === "PointLight" || light["cls"] === "SpotLight") {
      const [x = 0, y = 1, z = 0] = (readOrNull(listOf(anything), light["position"]) ?? []).map(
        (part) => within(part, -1e6, 1e6) ?? 0,
      );
      const length = Math.hypot(x, y, z);
      if (length > 0) lights.push({ from: [x / length, y / length, z / length], strength });
    }
  }
  return ambient > 0 || lights.length > 0 ? { ambient, lights } : null;
}

/** `text` comes from a log and is not trusted: unknown or invalid settings are ignored. */
export function readMeshLook(text: string): MeshLook {
  let parsed: unknown = null;
  try {
    parsed = JSON.parse(text);
  } catch {
    return PLAIN;
  }
  const config = fieldsOf(parsed);
  const [camera, material] = [fieldsOf(config["camera"]), fieldsOf(config["material"])];
  return {
    ...PLAIN,
    ...lightsOf(config["lights"]),
    fieldOfView: camera["cls"] === "PerspectiveCamera" ? (within(camera["fov"], 1, 120) ?? 50) : 0,
    wireframe: material["wireframe"] === true,
    opacity: material["transparent"] === true ? (within(material["opacity"], 0.05, 1) ?? 1) : 1,
    colour: colourOf(material["color"]),
    // three.js sizes points as a part of the scene; a scene here is 2 wide and some hundred pixels.
    pointSize:
      material["cls"] === "PointsMaterial" && within(material["size"], 0, 1) !== null
        ? Math.max(1, Math.min(12, (within(material["size"], 0, 1) ?? 0) * 300))
        : null,
  };
}
