import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { Notice_Level, NoticeSchema } from "../../api/conch_pb";
import named from "../../ui/Named.module.css";
import { EventList } from "./EventList";

const at = (second: number) => new Date(2026, 10, 1, 14, 3, second).getTime();
const event = (second: number, model: string, text: string, level = Notice_Level.INFO) =>
  create(NoticeSchema, { id: BigInt(second), time: BigInt(at(second)), model, text, level });

test("what is said again after each save is one event with its number, and others keep their place", async () => {
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const broken = "digits did not load: dims are empty";
  const events = [
    event(0, "digits", "digits reloaded in 9 ms"),
    event(1, "digits", broken, Notice_Level.ERROR),
    event(2, "pair", "pair reloaded in 1.2 s"),
    event(3, "digits", broken, Notice_Level.ERROR),
    event(4, "pair", "pair reloaded in 800 ms"),
    event(5, "digits", "digits reloaded in 960 µs"),
    event(6, "digits", "digits reloaded in 1 min 5 s"),
    event(7, "digits", "digits reloaded in 14 ms"),
  ];
  const rows = async (limit: number) => {
    await act(async () => root.render(<EventList events={events} phrase="" limit={limit} loading={false} />));
    return [...page.querySelectorAll("li")].map((li) => li.textContent);
  };
  const all = await rows(8);
  expect(all.map((text) => text?.replace(/ since .*$/, "").replace(/^.*?(?=digits|pair)/, ""))).toEqual([
    "digits reloaded in 14 ms3 times",
    "pair reloaded in 800 ms2 times",
    `${broken}2 times`,
    "digits reloaded in 9 ms",
  ]);
  expect(all[0]).toMatch(/3 times since 1 Nov .*14:03$/);
  expect(await rows(2)).toEqual(all.slice(0, 2));
  expect([...page.querySelectorAll(`.${named.name}`)].map((name) => name.textContent)).toEqual([
    "digits",
    "pair",
  ]);
  await act(async () => root.unmount());
});

test("of an error with a traceback the first line is told, and the tooltip has all of it", async () => {
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const text =
    "digits did not load: ModuleNotFoundError: No module named 'x'\n\nAt:\n  digits/1/model.py(2): <module>\n";
  const events = [event(0, "digits", text, Notice_Level.ERROR)];
  await act(async () => root.render(<EventList events={events} phrase="" limit={3} loading={false} />));
  const row = page.querySelector("li");
  expect(row?.textContent).toMatch(/digits did not load: ModuleNotFoundError: No module named 'x'$/);
  expect(row?.title).toBe(text);
  await act(async () => root.unmount());
});

test("a list that has not been read yet does not say that nothing happened", async () => {
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const phrase = "in the last 15 minutes";
  const text = async (loading: boolean) => {
    await act(async () => root.render(<EventList events={[]} phrase={phrase} limit={3} loading={loading} />));
    return page.textContent;
  };
  expect(await text(true)).toBe("EventsLoading…");
  expect(await text(false)).toBe(`EventsNo loads, reloads or failures ${phrase}`);
  await act(async () => root.unmount());
});
