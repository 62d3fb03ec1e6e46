// A long name that breaks behind its slashes and underscores, and not in the middle of a word.
import type { JSX } from "preact";

export function Breakable({ name }: { name: string }): JSX.Element {
  return <>{name.split(/(?<=[/_])(?![/_])/).map((part, i) => (i === 0 ? part : [<wbr key={i} />, part]))}</>;
}
