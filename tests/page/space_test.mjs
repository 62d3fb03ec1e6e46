// Embeddings and meshes, as a user turns them, looks for points and chooses steps.
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { barriers, visit } from "./support/browser.mjs";
import { EventFile } from "./support/event_file.mjs";
import { ATTACK, newLogdir } from "./support/logdirs.mjs";
import { addEmbedding, addMesh, hill, writeMedia } from "./support/media_logs.mjs";
import { serve, useBrowser } from "./support/session.mjs";

useBrowser();

async function serveMedia(t, window) {
  const logdir = newLogdir(t);
  writeMedia(logdir);
  return serve(t, logdir, window);
}

const asked = (page, key) => new URL(page.url()).searchParams.get(key);
const space = (page, label = null) => page.locator(label === null ? ".space" : `.space[aria-label^="${label}"]`);

/** How much of a picture is painted, and the picture itself, once something is: what is to be painted comes after its canvas. */
async function painted(page, locator) {
  await locator.locator("canvas").waitFor();
  for (let i = 0; i < 200; i += 1) {
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    const now = await locator.locator("canvas").evaluate((canvas) => {
      if (canvas.width === 0 || canvas.height === 0) return { share: 0, picture: "" };
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let pixels = 0;
      for (let k = 3; k < data.length; k += 4) if (data[k] > 0) pixels += 1;
      return { share: pixels / (canvas.width * canvas.height), picture: canvas.toDataURL() };
    });
    if (now.share > 0) return now;
    await page.waitForTimeout(50);
  }
  assert.fail("nothing is painted");
}

/** The picture once it differs from another one and has come to rest: on a busy machine a picture on its way may last. */
async function changed(page, locator, before) {
  let last = before;
  for (let i = 0; i < 100; i += 1) {
    const now = await painted(page, locator);
    if (now.picture !== before.picture && now.picture === last.picture) return now;
    last = now;
    await page.waitForTimeout(100);
  }
  assert.fail("the picture stays the same");
}

async function drag(page, locator, dx, dy, { shift = false } = {}) {
  const box = await locator.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height * 0.9];
  if (shift) await page.keyboard.down("Shift");
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + dx, y + dy, { steps: 4 });
  await page.mouse.up();
  if (shift) await page.keyboard.up("Shift");
}

test("points are turned by mouse and keys, moved when flat, and seen again from where they were", async (t) => {
  const { page, at } = await serveMedia(t);
  await visit(page, at("projector?pictures=0"));
  const cloud = space(page, "media/fp32 words, 180 points");
  const first = await painted(page, cloud);
  assert.ok(first.share > 0.003, `${first.share} of the picture is painted`);
  await drag(page, cloud, 120, -40);
  const turned = await changed(page, cloud, first);
  await cloud.focus();
  await page.keyboard.press("ArrowLeft");
  const further = await changed(page, cloud, turned);
  await page.keyboard.press("+");
  await changed(page, cloud, further);
  await page.waitForFunction(() => new URL(location.href).searchParams.has("camera"));
  await page.waitForTimeout(400); // The address follows when the camera has come to rest.
  const last = await painted(page, cloud);
  await page.reload();
  const again = await painted(page, cloud);
  assert.equal(again.picture, last.picture);

  await page.click('button:text-is("2D")');
  const flat = await changed(page, cloud, again);
  await drag(page, cloud, 60, 0);
  const moved = await changed(page, cloud, flat);
  await page.keyboard.press("z");
  await changed(page, cloud, moved);
  await page.click('button:text-is("3D")');
  await page.waitForFunction(() => !/camera|flat/.test(location.search));
  assert.equal((await painted(page, cloud)).picture, first.picture); // Another way round, the same place.
  assert.deepEqual(await barriers(page), []);
});

test("points are found by label, coloured by any column, and of any embedding", async (t) => {
  const { page, at } = await serveMedia(t);
  await visit(page, at("projector"));
  const cloud = space(page);
  const all = await painted(page, cloud);
  assert.equal(await page.locator(".colour-keys li").count(), 9); // Nine words in eight colours: two shapes.
  await page.fill('input[aria-label="Find points"]', "^queen$");
  await page.waitForSelector('[role=status]:has-text("20 points found")');
  const queens = await changed(page, cloud, all);
  await page.fill('input[aria-label="Find points"]', "nobody");
  await page.waitForSelector('[role=status]:has-text("No label matches")');
  await page.click('.projector-side button:text-is("Clear")');
  assert.equal((await changed(page, cloud, queens)).picture, all.picture);

  await page.click('button[aria-label="Colour by word"]');
  await page.click('.menu-list li:has-text("kind")');
  await page.waitForFunction(() => document.querySelectorAll(".colour-keys li").length === 3);
  await page.click('.colour-keys button:has-text("fruit")');
  await page.waitForSelector('[role=status]:has-text("60 points found")');
  await page.click('button[aria-label="Colour by kind"]');
  await page.click('.menu-list li:has-text("length")');
  await page.waitForSelector(".heat-key"); // Forty numbers are a ramp.
  assert.equal((await page.locator(".heat-key").innerText()).replace(/\s+/g, " "), "1 40");

  await page.click('button[aria-label="Embedding media/fp32 words"]');
  await page.click('.menu-list li:has-text("int8")');
  await page.waitForSelector('.space[aria-label^="media/int8 words"]');
  await page.reload();
  await page.waitForSelector('.space[aria-label^="media/int8 words"]');
  await page.waitForSelector(".heat-key");
});

/** Four points whose principal components are their own axes. */
function writeCross(logdir, options = {}) {
  const directory = join(logdir, "run");
  new EventFile(directory).scalar("loss", 1);
  addEmbedding(directory, "cross", [[10, 0, 1], [-10, 0, 1], [0, 4, 1], [0, -4, 1]], { lines: [["east"], ["west"], ["north"], ["south"]], ...options });
}

test("a chosen point says what is near it, by angle and by distance", async (t) => {
  const logdir = newLogdir(t);
  writeCross(logdir, { pictures: (row, x) => (x < 4 ? 255 : row * 40) });
  const { page, at } = await serve(t, logdir);
  await visit(page, at("projector?flat=1"));
  await painted(page, space(page));
  const box = await space(page).boundingBox();
  // The farthest points are 0.92 of half the shorter side from the middle.
  const far = 0.92 * Math.min(box.width, box.height) / 2;
  const [x, y] = [box.x + box.width / 2 + far, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.waitForSelector(".readout.on");
  assert.match(await page.locator(".readout b").innerText(), /^(east|west)$/);
  assert.match(await page.locator(".readout .picture").getAttribute("style"), /embeddings\/sprite/);
  await page.mouse.click(x, y);
  await page.waitForSelector(".near");
  const chosen = await page.locator(".point-chosen b").innerText();
  assert.equal(asked(page, "point"), chosen === "east" ? "0" : "1");
  const nearest = async () => (await page.locator(".near tbody tr").allInnerTexts()).map((row) => row.trim().split(/\s+/));
  // (10, 0, 1) and (0, 4, 1): an angle of cosine 1 / (√101 √17), a distance of √116.
  for (const [word, , , value] of (await nearest()).slice(0, 2)) {
    assert.match(word, /north|south/);
    assert.equal(value, (1 - 1 / Math.sqrt(101 * 17)).toPrecision(3));
  }
  await page.click('button:text-is("Euclidean")');
  await page.waitForFunction(() => document.querySelector(".near td:last-child").textContent === "10.77");
  assert.equal((await nearest())[2][3], "20.00");
  await page.reload();
  await page.waitForSelector(".near");
  assert.equal(await page.locator(".point-chosen b").innerText(), chosen);
  await page.click('.near button:text-is("north")');
  await page.waitForFunction(() => document.querySelector(".point-chosen b").textContent === "north");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector(".near"));
  const [pictures, before] = [page.locator('button:text-is("Dots")'), await painted(page, space(page))];
  await pictures.click();
  await changed(page, space(page), before);
  assert.equal(asked(page, "pictures"), "0");
});

test("labels, numbers and pictures of an enemy do no harm, and what cannot be shown is said", async (t) => {
  const logdir = newLogdir(t);
  const directory = join(logdir, "run");
  new EventFile(directory).scalar("loss", 1);
  addEmbedding(directory, "wild", [[1, 2], ["nan", 1], [3, "inf"], [4, 1], [0, 0]], { lines: [[ATTACK, "k"], [ATTACK, "<b>x</b>"], ["a", ATTACK], ["b", "y"], ["c", "z"], ["d", ATTACK]], pictures: () => 9 });
  writeFileSync(join(directory, "wild", "sprite.png"), "no picture");
  addEmbedding(directory, "lost", [[1, 2]]);
  rmSync(join(directory, "lost", "tensors.tsv"));
  addEmbedding(directory, "one", [[7]]);
  const { page, at } = await serve(t, logdir);
  await visit(page, at("projector"));
  await painted(page, space(page, "run wild, 3 points"));
  assert.match(await page.locator(".projector-main .note").innerText(), /2 rows with values that are not finite are left out/);
  assert.equal(await page.locator(".projector-side").locator("img, script, b b").count(), 0);
  assert.equal(await page.locator('button:text-is("Pictures")').count(), 0); // The sprite is none.
  await visit(page, at("projector?point=1"));
  await page.waitForSelector('.note:has-text("A row with non-finite values has no neighbours")');
  for (const query of ["point=99", "point=-1", "point=0.5", "camera=NaN~0~0~0~0", `colour=${encodeURIComponent(ATTACK)}&value=${encodeURIComponent(ATTACK)}&find=((`]) {
    await visit(page, at(`projector?${query}`));
    await painted(page, space(page, "run wild"));
  }
  assert.equal(await page.evaluate(() => window.attacked), undefined);
  await visit(page, at("projector?tensor=run%20lost"));
  await page.waitForSelector(".trouble");
  await visit(page, at("projector?tensor=run%20one"));
  await painted(page, space(page, "run one, 1 point"));
});

test("meshes are drawn and turned together, and each has its steps", async (t) => {
  const { page, at } = await serveMedia(t);
  await visit(page, at("mesh"));
  const [fp32, int8] = [space(page, "surface of media/fp32"), space(page, "surface of media/int8")];
  const [one, other] = [await painted(page, fp32), await painted(page, int8)];
  assert.ok(one.share > 0.05 && one.share < 0.9, `${one.share} of the picture is painted`);
  await drag(page, fp32, 90, 20);
  const turned = await changed(page, fp32, one);
  const both = await changed(page, int8, other);
  await int8.focus();
  await page.keyboard.press("ArrowUp");
  await changed(page, fp32, turned);
  await changed(page, int8, both);
  const values = page.locator('.card[aria-label="surface of media/fp32"] .values');
  assert.match(await values.innerText(), /step 100\s*441 vertices, 800 faces/);

  const before = await painted(page, fp32);
  await page.locator('input[aria-label="Step of all cards"]').fill("40");
  await page.waitForFunction(() => [...document.querySelectorAll(".mesh-card .values")].every((each) => /step 50/.test(each.textContent)));
  const lower = await changed(page, fp32, before);
  await page.locator('input[aria-label="Step of surface of media/fp32"]').fill("0");
  await page.waitForFunction(() => /step 0/.test(document.querySelector(".mesh-card .values").textContent));
  await changed(page, fp32, lower);
  await page.waitForTimeout(300);
  await page.reload();
  await page.waitForFunction(() => [...document.querySelectorAll(".mesh-card .values")].some((each) => /step 50/.test(each.textContent)));
  assert.equal((await painted(page, fp32)).picture, lower.picture); // The step of all and the camera are in the address.
  assert.deepEqual(await barriers(page), []);
});

test("a mesh looks as its configuration asks, and points need no faces", async (t) => {
  const logdir = newLogdir(t);
  const file = new EventFile(join(logdir, "run"));
  const shape = hill(9, 0.8);
  addMesh(file, "plain", shape);
  addMesh(file, "wires", shape, 0, { material: { cls: "MeshStandardMaterial", wireframe: true } });
  addMesh(file, "near", shape, 0, { camera: { cls: "PerspectiveCamera", fov: 75 }, lights: [{ cls: "AmbientLight", intensity: 1 }] });
  addMesh(file, "points", { vertices: shape.vertices }, 0, { material: { cls: "PointsMaterial", size: 0.03 } });
  const { page, at } = await serve(t, logdir);
  await visit(page, at("mesh"));
  const [plain, wires, near, points] = await Promise.all(["plain", "wires", "near", "points"].map((name) => painted(page, space(page, name))));
  assert.ok(wires.share > 0.005 && wires.share < plain.share * 0.7, `wires ${wires.share}, plain ${plain.share}`);
  assert.notEqual(near.picture, plain.picture);
  assert.ok(points.share > 0.005 && points.share < plain.share, `points ${points.share}, plain ${plain.share}`);
});

test("vertices that are nowhere and faces of nothing leave the rest of a mesh", async (t) => {
  const logdir = newLogdir(t);
  const file = new EventFile(join(logdir, "run"));
  const { vertices, faces } = hill(9, 0.8);
  vertices[0] = [NaN, 0, 0];
  vertices[40] = [0, Infinity, 0];
  addMesh(file, ATTACK, { vertices, faces: [...faces, [0, 1, 999], [-5, 1, 2]] }, 0, { camera: ATTACK, lights: [ATTACK], material: { color: ATTACK } });
  addMesh(file, "nothing", { vertices: [] });
  const { page, at } = await serve(t, logdir);
  await visit(page, at("mesh"));
  const values = page.locator(".mesh-card .values");
  await values.filter({ hasText: "2 vertices with NaN or infinity left out" }).waitFor();
  const drawn = await painted(page, page.locator(".space").first());
  assert.ok(drawn.share > 0.05, `${drawn.share} of the picture is painted`);
  assert.equal(await page.evaluate(() => window.attacked), undefined);
});
