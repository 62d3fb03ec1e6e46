// Memory of a page, and whether it grows during use.
import { openWindow, startBrowser } from "../../tests/page/support/browser.mjs";

/** Memory of the page after garbage collection, in MB, and the number of nodes and listeners. */
export async function heldBy(page) {
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable");
  await client.send("HeapProfiler.collectGarbage");
  const { metrics } = await client.send("Performance.getMetrics");
  const { usedSize, backingStorageSize } = await client.send("Runtime.getHeapUsage"); // Columns of numbers are beside the heap.
  await client.detach();
  const of = (wanted) => metrics.find(({ name }) => name === wanted).value;
  return { heap: (usedSize + backingStorageSize) / 1e6, nodes: of("Nodes"), listeners: of("JSEventListeners") };
}

/** How much of the heap is code: what the browser's compilers made of the scripts, and noted to make it better. In MB. */
async function codeHeldBy(page) {
  const client = await page.context().newCDPSession(page);
  const chunks = [];
  client.on("HeapProfiler.addHeapSnapshotChunk", ({ chunk }) => chunks.push(chunk));
  await client.send("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
  await client.detach();
  const { snapshot: { meta }, nodes } = JSON.parse(chunks.join(""));
  const [type, size] = ["type", "self_size"].map((name) => meta.node_fields.indexOf(name));
  const code = meta.node_types[type].indexOf("code");
  let bytes = 0;
  for (let at = 0; at < nodes.length; at += meta.node_fields.length) {
    if (nodes[at + type] === code) bytes += nodes[at + size];
  }
  return bytes / 1e6;
}

const KEYS = ["o", "s", "h", "p", "c", "l"]; // Keys that the walk presses after "g".

/** Memory of a page after each of these total numbers of page changes; they are whole rounds, so that it is the same page each time. */
export async function heldAfter(board, changes) {
  if (changes.some((count) => count % KEYS.length !== 0)) throw new Error(`a round has ${KEYS.length} pages; ${changes.join(", ")} are not all rounds`);
  const browser = await startBrowser();
  try {
    const { page } = await openWindow(browser);
    await page.goto(`${board.address}overview`);
    await page.waitForSelector("main h1");
    const held = [];
    let done = 0;
    for (const count of changes) {
      for (; done < count; done += 1) {
        await page.keyboard.press("g");
        await page.keyboard.press(KEYS[done % KEYS.length]);
        await page.waitForTimeout(40);
      }
      await page.waitForTimeout(500);
      const at = new URL(page.url()).pathname;
      if (!at.endsWith("/layers")) throw new Error(`the walk ended at ${at}`);
      held.push({ changes: count, ...(await heldBy(page)), code: await codeHeldBy(page) });
    }
    return held;
  } finally {
    await browser.close();
  }
}
