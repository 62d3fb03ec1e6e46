// A long name that may be wrapped after slashes and underscores, but not inside a word.
import type { JSX } from "preact";

export function Breakable({ name }: { name: string }): JSX.Element {
  return <>{name.split(/(?<=[/_])(?![/_])/).map((part, i) => (i === 0 ? part : [<wbr key={i} />, part]))}</>;
}
