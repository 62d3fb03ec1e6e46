// Shapes of JSON values. A response arrives as `unknown` and becomes typed when its shape was checked:
//
//   const progress = object({ done_bytes: number, complete: boolean });
//   const value = read(progress, await response.json(), "status"); // { done_bytes: number; complete: boolean }
//
// Checking copies nothing and allows keys that the page does not know, so a newer server works too.

export interface Shape<T> {
  /**
   * Describes the first place where `value` does not have the shape: "runs[3] is null, expected a string"; null if it
   * has the shape.
   */
  readonly differs: (value: unknown, path: string) => string | null;
  /** Never set; only carries the type for TypeOf. */
  readonly type?: T;
}

export type TypeOf<S> = S extends Shape<infer T> ? T : never;

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "missing";
  return Array.isArray(value) ? "a list" : `${typeof value === "object" ? "an" : "a"} ${typeof value}`;
}

const expected = (what: string, value: unknown, path: string): string =>
  `${path || "the response"} is ${kindOf(value)}, expected ${what}`;

function simple<T>(what: string, accepts: (value: unknown) => boolean): Shape<T> {
  return { differs: (value, path) => (accepts(value) ? null : expected(what, value, path)) };
}

export const string: Shape<string> = simple("a string", (value) => typeof value === "string");
export const number: Shape<number> = simple("a number", (value) => typeof value === "number");
export const boolean: Shape<boolean> = simple("a boolean", (value) => typeof value === "boolean");
export const anything: Shape<unknown> = { differs: () => null };

/** A string that must be one of the given words. */
export function oneOf<const W extends readonly string[]>(...words: W): Shape<W[number]> {
  return simple(`one of ${words.join(", ")}`, (value) => typeof value === "string" && words.includes(value));
}

/** A number. JSON has no NaN and no infinity: the server sends them as strings, and null for a missing value. */
export type WireNumber = number | "NaN" | "Infinity" | "-Infinity" | null;

export const wireNumber: Shape<WireNumber> = simple(
  "a number",
  (value) =>
    typeof value === "number" || value === null || value === "NaN" || value === "Infinity" || value === "-Infinity",
);

export function toNumber(value: WireNumber): number {
  return value === null ? NaN : Number(value);
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return { differs: (value, path) => (value === null ? null : shape.differs(value, path)) };
}

/** A shape for keys that a value may lack. */
export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
  return { differs: (value, path) => (value === undefined ? null : shape.differs(value, path)) };
}

export function either<A, B>(one: Shape<A>, other: Shape<B>): Shape<A | B> {
  return { differs: (value, path) => (one.differs(value, path) === null ? null : other.differs(value, path)) };
}

export function list<T>(shape: Shape<T>): Shape<readonly T[]> {
  return {
    differs: (value, path) => {
      if (!Array.isArray(value)) return expected("a list", value, path);
      for (let i = 0; i < value.length; i += 1) {
        // The path is built only for an error: lists may have a million items.
        if (shape.differs(value[i], "") !== null) return shape.differs(value[i], `${path}[${i}]`);
      }
      return null;
    },
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An object with any keys. */
export function record<T>(shape: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return {
    differs: (value, path) => {
      if (!isObject(value)) return expected("an object", value, path);
      for (const [key, each] of Object.entries(value)) {
        const problem = shape.differs(each, `${path}.${key}`);
        if (problem !== null) return problem;
      }
      return null;
    },
  };
}

type Fields = Readonly<Record<string, Shape<unknown>>>;
type OptionalKeys<F extends Fields> = { [K in keyof F]: undefined extends TypeOf<F[K]> ? K : never }[keyof F];
type ObjectOf<F extends Fields> = { readonly [K in Exclude<keyof F, OptionalKeys<F>>]: TypeOf<F[K]> } & {
  readonly [K in OptionalKeys<F>]?: TypeOf<F[K]>;
};

export function object<F extends Fields>(fields: F): Shape<ObjectOf<F>> {
  const entries = Object.entries(fields);
  return {
    differs: (value, path) => {
      if (!isObject(value)) return expected("an object", value, path);
      for (const [key, shape] of entries) {
        const problem = shape.differs(value[key], path === "" ? key : `${path}.${key}`);
        if (problem !== null) return problem;
      }
      return null;
    },
  };
}

export const strings = list(string);
export const numbers = list(number);
export const booleans = list(boolean);
export const wireNumbers = list(wireNumber);

function has<T>(shape: Shape<T>, value: unknown): value is T {
  return shape.differs(value, "") === null;
}

/** The value, if it has this shape; otherwise null. */
export function readOrNull<T>(shape: Shape<T>, value: unknown): T | null {
  return has(shape, value) ? value : null;
}

/** The value with its type. Throws an error that names the first difference if the value does not have the shape. */
export function read<T>(shape: Shape<T>, value: unknown, what: string): T {
  if (has(shape, value)) return value;
  throw new Error(
    `cannot read the response to '${what}': ${shape.differs(value, "") ?? ""}; reload the page, and if that does not help, update page and server together`,
  );
}
