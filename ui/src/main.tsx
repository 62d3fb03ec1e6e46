import { render } from "preact";
import { listenToKeys } from "./shell/keys";
import { App } from "./shell/App";
import { pageOf } from "./shell/pages";
import { listenToChanges, refreshStatus } from "./state/live";
import { followOldLink, listenToLocation, pathParts } from "./state/location";
import { followComparison } from "./state/pair";
import "./styles/tokens.css";
import "./styles/shell.css";
import "./styles/charts.css";
import "./styles/parts.css";

followOldLink();
listenToLocation();
void pageOf(pathParts.value)?.load().catch(() => undefined); // While the frame is drawn; App says it if it fails.
listenToKeys();
listenToChanges();
void refreshStatus();
followComparison();

const root = document.querySelector("#app");
if (root) {
  root.replaceChildren(); // The frame that came with the document; App draws the same, and the rest.
  render(<App />, root);
}
