import { render } from "preact";
import { listenToKeys } from "./shell/keys";
import { App } from "./shell/App";
import { loadView, pageOf } from "./shell/pages";
import { listenToChanges, refreshStatus } from "./state/live";
import { followOldLink, listenToLocation, pathParts } from "./state/location";
import { followComparison } from "./state/pair";
import "./styles/tokens.css";
import "./styles/shell.css";
import "./styles/charts.css";
import "./styles/parts.css";

followOldLink();
listenToLocation();
listenToKeys();
listenToChanges();
void refreshStatus();
followComparison();

// The frame that came with the document stays until the page itself can be drawn with it, in one go.
// App says it if the page could not be loaded.
const page = pageOf(pathParts.value);
void (page ? loadView(page) : Promise.resolve()).catch(() => undefined).then(() => {
  const root = document.querySelector("#app");
  if (!root) return;
  root.replaceChildren();
  render(<App />, root);
});
