import { expect, test, vi } from "vitest";
import { useAsked } from "../../window/asked";
import { goToModel } from "../../window/place";
import { showFailed } from "../../window/refused";
import { show } from "./shown";

const group = (id: bigint, status: string, reason: string, model = "digits") => ({
  ...{ id, port: "HTTP", model, status, reason, count: 2n, ran: status.startsWith("5") },
  newest: [{ time: 15n, client: "10.0.0.7:99" }],
});
const ofClients = [
  group(1n, "404 Not Found", "no such version"),
  group(2n, "500 Internal", "no anchors"),
  group(3n, "500 Internal", "no anchors of digits", "digits_prepare"),
];
const sent = [
  { id: 1n, model: "digits", ok: true, summary: "image FP32 [1]", tookMs: 1 },
  { id: 2n, model: "digits", error: "n is negative", tookMs: 1 },
  { id: 3n, model: "other", error: "out of ink", tookMs: 1 },
  { id: 4n, model: "digits_prepare", error: "after digits", tookMs: 1 },
];

/** What the page lists of the failures of a model. */
const showThose = (entries: typeof sent, changed: typeof ofClients) => {
  showFailed("digits");
  return show({ entries, changed });
};

test("failures of a model that were sent from here are listed, with the way to those of clients and back", async () => {
  const { page, listed, press, end } = await showThose(sent, ofClients);
  await vi.waitFor(() => expect(listed()).toHaveLength(1));
  expect(listed()[0]).toContain("N is negative");
  expect(page.textContent).toContain("2 requests of clients of the ports failed too.");
  await press("Show them");
  expect(listed()).toHaveLength(1);
  expect(listed()[0]).toMatch(/no anchors/i);
  expect(page.textContent).toContain("1 request sent from here failed too.");
  await press("Show it");
  expect(listed()[0]).toContain("N is negative");
  await end();
});

test("a row begins with what the program said, and its tooltip has all", async () => {
  const error = "Failed to process the request(s) for model 'digits_0', message: ValueError: no anchors";
  const { page, listed, press, end } = await showThose(
    [{ id: 1n, model: "digits", error, tookMs: 1 }],
    [group(2n, "500 Internal", error)],
  );
  await vi.waitFor(() => expect(listed()[0]).toContain("digitsValueError: no anchors"));
  expect(page.querySelector("li [title]")?.getAttribute("title")).toBe(error);
  await press("Show it");
  expect(listed()[0]).toContain("ValueError: no anchors");
  expect(listed()[0]).not.toContain("Failed to process");
  await end();
});

test("letters without width are spelt in a row of what was sent, and in its tooltip, whose lines stay", async () => {
  const error = "no anc\u200bhors\n(none)";
  const { page, listed, end } = await showThose([{ id: 1n, model: "digits", error, tookMs: 1 }], []);
  await vi.waitFor(() => expect(listed()[0]).toContain("No anc\\u200bhors\n(none)"));
  expect(page.querySelector("li [title]")?.getAttribute("title")).toBe("no anc\\u200bhors\n(none)");
  await end();
});

test("failures that clients alone met are listed at once, without what never ran", async () => {
  const { listed, press, end } = await showThose(sent.slice(0, 1), ofClients);
  await vi.waitFor(() => expect(listed()[0]).toMatch(/no anchors/i));
  expect(listed()).toHaveLength(1);
  await press("Remove the filter: Ran and failed");
  expect(listed()).toHaveLength(2);
  await press("Remove the filter: Model digits");
  expect(listed()).toHaveLength(3);
  await end();
});

test("failures that no list holds any more are said to be gone", async () => {
  const { page, end } = await showThose([], []);
  await vi.waitFor(() =>
    expect(page.textContent).toContain("Failed requests of clients are listed until the engine restarts."),
  );
  expect(page.textContent).not.toContain("No request was refused");
  await end();
});

test("what a way to the page narrows it to is shown there, stays with the other list, and goes when the page is left", async () => {
  const { page, listed, press, end } = await showThose(sent, ofClients);
  const removable = () =>
    [...page.querySelectorAll("[aria-label^='Remove the filter']")].map((one) =>
      one.getAttribute("aria-label")?.replace("Remove the filter: ", ""),
    );
  await vi.waitFor(() => expect(listed()).toHaveLength(1));
  expect(removable()).toEqual(["Model digits"]);
  await press("Refused by the ports (6)");
  expect([listed().length, removable()]).toEqual([2, ["Model digits"]]);
  expect(page.querySelector<HTMLInputElement>("input")?.value).toBe("");
  goToModel("digits");
  await end();
  expect(useAsked.getState()).toMatchObject({ requestsOf: "", refusedIn: undefined, failed: false });
});
