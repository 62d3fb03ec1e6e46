import { expect, test } from "vitest";
import { causeHeadline, causeWord } from "./causes";

test("a cause has a word for the list and a headline for the finding", () => {
  expect([causeWord("channel_spread"), causeHeadline("channel_spread")]).toEqual(["spread", "Unequal channels"]);
  expect([causeWord("none"), causeHeadline("none")]).toEqual(["", "No damage to see"]);
});

test("what a newer program calls it is shown as it is", () => {
  expect([causeWord("ringing"), causeHeadline("ringing")]).toEqual(["ringing", "ringing"]);
});
