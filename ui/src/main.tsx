import { render } from "preact";
import { listenToKeys } from "./shell/keys";
import { App } from "./shell/App";
import { pageOf, PAGES } from "./shell/pages";
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
void pageOf(pathParts.value)?.load().catch(() => undefined); // While the frame is drawn; App says it if it fails.
listenToKeys();
void refreshStatus();
listenToChanges();
followComparison();
followContents(PAGES.map((page) => page.id));

const root = document.createElement("div");
root.id = "app";
document.body.append(root);
render(<App />, root);
