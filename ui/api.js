// What the server answers, checked where it comes in. Addresses are relative, so that the page
// works below any path prefix.

/** Fetches JSON; an error of the server becomes an Error with its message. */
async function getJson(path, parameters = {}) {
  const query = new URLSearchParams(parameters).toString();
  const response = await fetch(`api/v1/${path}${query ? `?${query}` : ""}`);
  const body = await response.json();
  if (!response.ok)
    throw new Error(body?.error?.message ?? `the server answered ${response.status}`);
  return body;
}

/** JSON has no NaN: it comes as a string, while null is what was not logged. */
export function toNumber(value) {
  return value === null || value === undefined ? null : Number(value);
}

export const getRuns = () => getJson("runs");
export const getTags = (run) => getJson("tags", {run});
export const getComparison = () => getJson("comparison");

export async function getScalars(run, tag, maxPoints) {
  const series = await getJson("scalars", {run, tag, max_points: String(maxPoints)});
  return {...series, values: series.values.map(toNumber)};
}
