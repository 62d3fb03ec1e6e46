// A component whose code is loaded when the component is first shown.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

export function Suspended<T>({
  load,
  render,
}: {
  load: () => Promise<T>;
  render: (loaded: T) => JSX.Element;
}): JSX.Element | null {
  const [loaded, setLoaded] = useState<{ readonly value: T } | null>(null);
  useEffect(() => {
    load().then(
      (value) => setLoaded({ value }),
      () => undefined, // The server is unreachable; the header says so.
    );
  }, []);
  return loaded && render(loaded.value);
}
