// Stock TensorBoard's dashboards in a browser: the text that they show and the requests that they make.
/** A window that remembers errors, and the data that was asked for as `METHOD path body`. */
export async function openRecorder(browser, board) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 2000 }, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const [troubles, requests, open] = [[], new Map(), new Set()];
  page.on("pageerror", (error) => troubles.push(`uncaught: ${error.message}`));
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (!pathname.includes("/data/")) return;
    open.add(request);
    const body = request.postData() ?? "";
    const path = (pathname + search).slice(new URL(board.address).pathname.length);
    requests.set(`${request.method()} ${path} ${body}`, { method: request.method(), path, body, type: request.headers()["content-type"] });
  });
  for (const end of ["requestfinished", "requestfailed"]) page.on(end, (request) => open.delete(request));
  page.on("response", (response) => {
    if (response.status() >= 400 && response.url().includes("/data/")) troubles.push(`${response.status()}: ${response.url()}`);
  });
  return { page, troubles, requests, open, close: () => context.close() };
}

/** Opens a dashboard and waits until it has asked for nothing for a second. */
export async function openDashboard(recorder, board, name) {
  const { page, open } = recorder;
  await page.goto("about:blank"); // TensorBoard keeps the elements of dashboards that were open before.
  await page.goto(`${board.address}#${name}`);
  for (let still = 0; still < 1000; still = open.size === 0 ? still + 50 : 0) await page.waitForTimeout(50);
}

/** Lines of text that the page shows, also in shadow roots and in frames of the same origin. */
export const shownText = (page) => page.evaluate(linesOfPage);

function linesOfPage() {
  const lines = [];
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      const text = node.textContent.replace(/\s+/g, " ").trim();
      if (text) lines.push(text);
      return;
    }
    if (node.nodeType === Node.ELEMENT_NODE) {
      if (["STYLE", "SCRIPT", "NOSCRIPT", "TEMPLATE", "DOM-MODULE"].includes(node.tagName)) return;
      if (getComputedStyle(node).display === "none") return;
      if (node.tagName === "IFRAME") {
        if (node.contentDocument?.body) walk(node.contentDocument.body);
        return;
      }
      if (node.shadowRoot) walk(node.shadowRoot);
    }
    node.childNodes.forEach(walk);
  };
  walk(document.body);
  return lines;
}
