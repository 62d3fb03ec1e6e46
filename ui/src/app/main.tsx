import { render } from "preact";
import { prefetch } from "../api/client";
import { listenToKeys } from "../base/keys";
import { showNamesOnFocus } from "../widgets/Name";
import { App } from "./App";
import { loadView, pageOf, PAGES } from "./pages";
import { RARE_IDS } from "./page_list";
import { followContents } from "../domain/live/contents";
import { listenToChanges, refreshStatus } from "../domain/live/live";
import { followOldLink, listenToLocation, pathParts } from "../base/address";
import { rememberPages, restorePage } from "../domain/live/page_memory";
import { followComparison } from "../domain/models/pair";
import { followAnnotations } from "../domain/runs/annotations";
import { followRunColours } from "../domain/runs/run_colours";
import "./styles/tokens.css";
import "./styles/frame.css";
import "./styles/charts.css";
import "./styles/widgets.css";

followOldLink();
restorePage();
listenToLocation();
rememberPages();
listenToKeys();
showNamesOnFocus();
listenToChanges();
void refreshStatus();
followComparison();
followAnnotations();
followRunColours();
followContents(
  PAGES.map((page) => page.id),
  RARE_IDS,
);
const page = pageOf(pathParts.value);
page?.asks?.forEach(prefetch);

// The HTML file's static frame stays until the page's code is loaded; then frame and page are drawn together. App shows
// the error if the code could not be loaded.
void (page ? loadView(page) : Promise.resolve())
  .catch(() => undefined)
  .then(() => {
    const root = document.querySelector("#app");
    if (!root) return;
    document.documentElement.dataset["drawn"] = "";
    render(<App />, root); // Reuses the elements of the static frame.
  });
