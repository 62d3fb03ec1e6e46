import { render } from "preact";
import { askAhead } from "./api/client";
import { listenToKeys } from "./shell/keys";
import { App } from "./shell/App";
import { loadView, pageOf, PAGES } from "./shell/pages";
import { RARE_IDS } from "./shell/page_list";
import { followContents } from "./state/contents";
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
followContents(PAGES.map((page) => page.id), RARE_IDS);
const page = pageOf(pathParts.value);
page?.asks?.forEach(askAhead);

// The frame that came with the document stays until the page itself can be drawn with it, in one go.
// App says it if the page could not be loaded.
void (page ? loadView(page) : Promise.resolve()).catch(() => undefined).then(() => {
  const root = document.querySelector("#app");
  if (!root) return;
  document.documentElement.dataset["drawn"] = "";
  render(<App />, root); // Takes over the elements of the frame.
});
