import { expect, it } from "vitest";
import { dbText, dbWithUnit, gainText, gainWithUnit } from "./decibels";

it("both ends have words, as they are logged and as they are worked out", () => {
  expect([17.84, 200, Infinity, -200, -Infinity, -199].map((db) => dbText(db))).toEqual([
    "17.8",
    "exact",
    "exact",
    "lost",
    "lost",
    "−199.0",
  ]);
  expect([17.84, 200, -200].map((db) => dbWithUnit(db))).toEqual(["17.8 dB", "exact", "lost"]);
});

it("a gain has its sign, and nothing gained has none", () => {
  expect([12.6, -0.3, 0.04, -0.04, Infinity].map(gainText)).toEqual(["+12.6", "−0.3", "0.0", "0.0", "exact"]);
});

it("what was lost before gains what nobody can say", () => {
  expect([217.8, Infinity, -217.8].map(gainText)).toEqual(["from lost", "exact", "lost"]);
  expect([6.8, 217.8, Infinity].map(gainWithUnit)).toEqual(["+6.8 dB", "from lost", "exact"]);
});
