// From where things in space are seen, in the address once it has come to rest: browsers slow down
// whoever changes the address with every frame.
import { useEffect, useState } from "preact/hooks";
import { eyeText, FIRST_EYE, readEye, type Eye } from "../lib/space";
import { useKeys } from "../shell/keys";
import { query, setQuery } from "../state/location";

const REST_MS = 200;

export function useEye(first: Eye = FIRST_EYE): readonly [Eye, (eye: Eye) => void] {
  const said = query.value.get("eye");
  const [now, setNow] = useState({ said, eye: readEye(said, first) });
  // Another address, as by the back button, is another eye.
  const eye = now.said === said ? now.eye : readEye(said, first);
  const set = (next: Eye): void => setNow({ said: query.value.get("eye"), eye: next });
  useEffect(() => {
    const text = eyeText(eye, first);
    if (text === said) return undefined;
    const timer = setTimeout(() => {
      setNow({ said: text, eye });
      setQuery({ eye: text }, "replace");
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [eye]);
  useKeys([{ key: "z", does: "As it was first", run: () => set(first) }]);
  return [eye, set];
}
