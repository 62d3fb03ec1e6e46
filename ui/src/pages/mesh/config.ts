// The display configuration that was logged with a mesh for three.js. Only the settings that can be drawn without a
// graphics card are used. Pure functions.
import { anything, list as listOf, readOrNull, record } from "../../api/shape";

export interface MeshLook {
  /** The vertical field of view in degrees. 0 means an orthographic view. */
  readonly fieldOfView: number;
  readonly ambient: number;
  /** The direction to the light in camera coordinates, of length 1, and its intensity. */
  readonly lights: readonly { readonly from: readonly [number, number, number]; readonly strength: number }[];
  readonly wireframe: boolean;
  readonly opacity: number;
  /** The CSS colour of vertices without a colour. null means the text colour. */
  readonly colour: string | null;
  /** The size of points in pixels. null means that the size is chosen to fit the space. */
  readonly pointSize: number | null;
}

/** The default light comes from the camera. */
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

/** A colour in the forms "#ff8800" and 0xff8800. Names of colours are not supported and give the default. */
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

/** Reads the configuration. `text` comes from a log and is not trusted: unknown or invalid settings are ignored. */
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
    // three.js gives point sizes in scene units. Here a scene is 2 units wide, and it is drawn with a width of some
    // hundred pixels.
    pointSize:
      material["cls"] === "PointsMaterial" && within(material["size"], 0, 1) !== null
        ? Math.max(1, Math.min(12, (within(material["size"], 0, 1) ?? 0) * 300))
        : null,
  };
}
