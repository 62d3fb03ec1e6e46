// The camera of a 3D view. The address is updated only when the camera has stopped moving, because browsers throttle
// pages that change the address in every frame.
import { useEffect, useState } from "preact/hooks";
import { cameraText, FIRST_CAMERA, readCamera, type Camera } from "../base/math/space";
import { useKeys } from "../base/keys";
import { query, setQuery } from "../base/address";

const REST_MS = 200;

/** Old addresses use the key "eye". */
const storedCamera = (): string | null => query.value.get("camera") ?? query.value.get("eye");

export function useCamera(first: Camera = FIRST_CAMERA): readonly [Camera, (camera: Camera) => void] {
  const said = storedCamera();
  const [now, setNow] = useState({ said, camera: readCamera(said, first) });
  // If the address has changed, for example after "back", uses the camera in the address.
  const camera = now.said === said ? now.camera : readCamera(said, first);
  const set = (next: Camera): void => setNow({ said: storedCamera(), camera: next });
  useEffect(() => {
    const text = cameraText(camera, first);
    if (text === said) return undefined;
    const timer = setTimeout(() => {
      setNow({ said: text, camera });
      setQuery({ camera: text, eye: null }, "replace");
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [camera]);
  useKeys([{ key: "z", does: "Reset the camera", run: () => set(first) }]);
  return [camera, set];
}
