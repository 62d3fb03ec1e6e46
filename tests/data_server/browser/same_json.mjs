// The JSON of two TensorBoards for one request, without the differences that docs/inside-tensorboard.md lists.

const decode = (key) => JSON.parse(Buffer.from(key, "base64url").toString());
const encode = (parts) => Buffer.from(JSON.stringify(parts)).toString("base64url");

/** Keys of blobs contain the plugin's name with the Python loader only: ["", "images", run, tag, step, index]. */
function forPythonLoader(path) {
  const plugin = /plugin\/(images|audio|timeseries)\//.exec(path)?.[1].replace("timeseries", "images");
  return path.replace(/((?:blob_key|imageId)=)([^&]+)/, (_, name, key) => name + encode(decode(key).toSpliced(1, 0, plugin)));
}
const withoutPlugin = (key) => {
  const parts = decode(key);
  return encode(parts.length === 6 ? parts.toSpliced(1, 1) : parts);
};

const withoutBlobPlugin = (text) =>
  text.replace(/((?:blob_key|imageId)(?:=|": "))([\w-]+)/g, (_, name, key) => name + withoutPlugin(key));

/** The Python loader takes the label of a sound for a second sound and serves its first bytes: not compared. */
export const isComparable = (loader, { path }) => !(loader === "python" && path.includes("individualAudio") && path.includes("content_type=audio%2Fwav&ts=1700000000"));

async function response(board, { method, path, body, type }, loader) {
  const target = loader === "python" ? forPythonLoader(path) : path;
  const answer = await fetch(board.address + target, { method, ...(method === "POST" && { body, headers: { "Content-Type": type } }) });
  const content = Buffer.from(await answer.arrayBuffer());
  const isJson = answer.headers.get("content-type")?.startsWith("application/json");
  return { status: answer.status, isJson, content: isJson ? JSON.parse(withoutBlobPlugin(content.toString())) : content.toString("base64") };
}

/** Counts of the bins that are not empty and the edges between them, to the digits of a float32. */
const filled = (rows) => asFloat32(rows.filter(([, count]) => count !== 0).map(([right, count], i, all) => (i === all.length - 1 ? [count] : [right, count])));
const bins = (series) => series.map(([time, step, rows]) => [time, step, filled(rows.map(([, right, count]) => [right, count]))]);
const distributions = (series) => series.map(([time, step, rows]) => [time, step, asFloat32(rows)]);
// Numbers that come from float32 are marked, so that isSame allows for its digits.
const asFloat32 = (rows) => rows.map((row) => row.map((float32) => ({ float32 })));

function withoutNames(tags) {
  for (const entry of Object.values(tags).flatMap(Object.values)) {
    delete entry.displayName;
    delete entry.description;
  }
  return tags;
}
function withoutDescriptions(tags) {
  for (const kind of ["scalars", "histograms", "images"]) delete tags[kind].tagDescriptions;
  return tags;
}
const withoutContentType = (entries) => entries.map((entry) => ({ ...entry, contentType: undefined, query: undefined }));
const sorted = (list) => [...list].sort();

const byContentType = (parts) => parts.toSorted((a, b) => a.step - b.step || a.content_type - b.content_type);
const withoutSampleCount = (tags) => {
  for (const entry of Object.values(tags).flatMap(Object.values)) delete entry.samples;
  return tags;
};

const withoutTypes = (experiment) => ({ ...experiment, hparamInfos: experiment.hparamInfos.map(({ type, domainDiscrete, domainInterval, ...rest }) => rest) });
const timeSeries = (responses) =>
  responses.map((response) =>
    response.plugin !== "histograms"
      ? response
      : {
          ...response,
          runToSeries: Object.fromEntries(
            Object.entries(response.runToSeries ?? {}).map(([run, steps]) => [
              run,
              steps.map(({ step, wallTime, bins: all }) => ({ step, wallTime, bins: filled(all.map(({ max, count }) => [max, count])) })),
            ]),
          ),
        },
  );

const BOTH = [
  ["runs that start at the same time have no order", /\/runs$/, sorted],
  ["parts of a mesh with the same time have no order", /\/mesh\/meshes\?/, byContentType],
  ["of a hyperparameter with several types, TensorBoard takes that of any run", /\/hparams\/experiment$/, withoutTypes],
  ["names the program that loads", /\/environment$/, ({ debug, ...rest }) => rest],
];
// Each says in which way the responses differ on purpose, by loader and route.
const RULES = {
  rustboard: [
    ["RustBoard drops names and descriptions of values of old writers", /\/(scalars|histograms|distributions|images|audio)\/tags$/, withoutNames],
    ["and of time series", /\/timeseries\/tags$/, withoutDescriptions],
    ["and does not know that sounds of old writers are WAV", /\/audio\/audio\?/, withoutContentType],
    ...BOTH,
  ],
  python: [
    ["without a display name, the Python loader repeats the tag", /\/(scalars|histograms|distributions|images|audio)\/tags$/, withoutNames],
    ["it takes the label of a sound for a second sound", /\/audio\/tags$/, withoutSampleCount],
    ["it stores histograms of old writers as float32, without empty bins and from the smallest to the largest value", /\/histograms\/histograms\?/, bins],
    ["so do distributions", /\/distributions\/distributions\?/, distributions],
    ["and time series", /\/timeSeries$/, timeSeries],
    ...BOTH,
  ],
};

/** Equal, with seven digits for numbers that are marked as float32. */
export function isSame(a, b) {
  if (typeof a?.float32 === "number" && typeof b?.float32 === "number") return Math.abs(a.float32 - b.float32) <= 1e-6 * Math.max(Math.abs(a.float32), Math.abs(b.float32), 1e-6);
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((each, i) => isSame(each, b[i]));
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object" || Array.isArray(a) !== Array.isArray(b)) return Object.is(a, b);
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && isSame(a[key], b[key]));
}

/** [ours, theirs] of one request, after the rules for `loader`. */
export async function bothResponses(ours, other, loader, request) {
  const both = [await response(ours, request, "ours"), await response(other, request, loader)];
  for (const [, route, change] of RULES[loader]) {
    if (!route.test(request.path)) continue;
    for (const each of both) if (each.isJson && each.status === 200) each.content = change(each.content);
  }
  return both;
}
