import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  ListHistoryResponseSchema,
  ListProblemsResponseSchema,
  ModelState,
  ModelSummarySchema,
  type Refusal,
  type WatchRefusalsResponse,
  WatchRefusalsResponseSchema,
} from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { useAsked } from "../../window/asked";
import { useWorkspace } from "../../workspace/workspace";
import { RequestsView } from "./RequestsView";

vi.mock("../../api/client", () => ({
  clients: { tryIt: { listHistory: vi.fn(), watchRefusals: vi.fn() }, workspace: { listProblems: vi.fn() } },
}));

let root: Root;
const page = () => document.body.textContent ?? "";
const button = (name: string) =>
  [...document.querySelectorAll("button")].find((b) => b.textContent?.includes(name)) as HTMLButtonElement;

/** Shows the page over a stream that the test feeds. */
async function show(): Promise<(message: WatchRefusalsResponse) => Promise<void>> {
  let feed: (message: WatchRefusalsResponse) => void = () => {};
  vi.mocked(clients.tryIt.watchRefusals).mockImplementation(async function* (_request, options) {
    while (!options?.signal?.aborted) {
      yield await new Promise<WatchRefusalsResponse>((resolve) => {
        feed = resolve;
      });
    }
  });
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <RequestsView />
      </QueryClientProvider>,
    ),
  );
  return (message) => act(async () => feed(message));
}

beforeEach(() => {
  vi.mocked(clients.tryIt.listHistory).mockResolvedValue(create(ListHistoryResponseSchema));
  root = createRoot(document.body.appendChild(document.createElement("div")));
});

afterEach(() => act(async () => root.unmount()));

const refused = create(WatchRefusalsResponseSchema, {
  reset: true,
  changed: [
    {
      id: 1n,
      port: "HTTP",
      method: "POST",
      path: "/v2/models/digits/infer",
      model: "digits",
      status: "400 Bad Request",
      reason: "unexpected shape for input 'image'",
      count: 1209n,
      newest: Array.from({ length: 5 }, (_, i) => ({ time: 1n, client: `10.0.0.${i}:99`, id: `r${i}` })),
    },
  ],
});

test("a refused request appears at once, with its reason, its model, its client and how many are like it", async () => {
  const feed = await show();
  await act(async () => button("Refused by the ports").click());
  await feed(create(WatchRefusalsResponseSchema, { reset: true }));
  expect(page()).toContain("No request was refused");
  await feed(refused);
  expect(button("Refused by the ports").textContent).toContain("(999+)");
  await act(async () => button("nexpected shape").click());
  for (const said of [
    "POST /v2/models/digits/infer",
    "400 Bad Request",
    "10.0.0.0:99",
    "r4",
    "1,204 more like this",
  ]) {
    expect(page()).toContain(said);
  }
  expect(page()).toContain("in the engine's memory only");
});

test("the row of a method that is not allowed shows the call", async () => {
  useAsked.setState({ whose: "refused", requestsOf: "" });
  const feed = await show();
  const one = { id: 1n, port: "HTTP", method: "GET", path: "/v2/models/digits/infer", model: "digits" };
  const why = { status: "405 Method Not Allowed", reason: "Method Not Allowed" };
  const newest = [{ time: 1n, client: "10.0.0.7:99" }];
  await feed(
    create(WatchRefusalsResponseSchema, { reset: true, changed: [{ ...one, ...why, count: 1n, newest }] }),
  );
  expect(page()).toContain("GET /v2/models/digits/infer: Method Not Allowed");
});

test("the list stays while the engine is away, and says why when there was none", async () => {
  vi.mocked(clients.tryIt.watchRefusals).mockImplementation(() => {
    throw new ConnectError("The engine does not run.", Code.Unavailable);
  });
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <RequestsView />
      </QueryClientProvider>,
    ),
  );
  await act(async () => button("Refused by the ports").click());
  expect(page()).toContain("The engine does not run.");
});

test("a row names the client and the version that was asked for; the list can be of one model", async () => {
  useAsked.setState({ whose: "refused", requestsOf: "digits" });
  const feed = await show();
  const row = (id: bigint, model: string) => ({
    id,
    port: "HTTP",
    model,
    version: "9",
    status: "400 Bad Request",
    reason: "Model version not ready",
    count: 1n,
    newest: [{ time: 1n, client: "10.0.0.7:99" }],
  });
  await feed(
    create(WatchRefusalsResponseSchema, { reset: true, changed: [row(1n, "digits"), row(2n, "shout")] }),
  );
  const rows = [...document.querySelectorAll("[aria-label^='Refused requests'] li")].map(
    (li) => li.textContent,
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]).toContain("digits, version 9");
  expect(rows[0]).toContain("10.0.0.7:99");
});

test("of a model that does not serve, the detail says why; a port calls it unknown", async () => {
  vi.mocked(clients.workspace.listProblems).mockResolvedValue(create(ListProblemsResponseSchema));
  const reason = "It has no version folder yet.";
  const model = create(ModelSummarySchema, { name: "digits", state: ModelState.FAILED, reason });
  useWorkspace.setState({ models: new Map([["digits", model]]) });
  useAsked.setState({ whose: "refused", requestsOf: "" });
  const feed = await show();
  const unknown = (id: bigint, name: string) => ({
    id,
    port: "HTTP",
    model: name,
    status: "404 Not Found",
    reason: `Request for unknown model: '${name}' is not found`,
    count: 1n,
    newest: [{ time: 1n, client: "10.0.0.7:99" }],
  });
  const changed = [unknown(1n, "digits"), unknown(2n, "digitz")];
  await feed(create(WatchRefusalsResponseSchema, { reset: true, changed }));
  const rows = [...document.querySelectorAll("[aria-label^='Refused requests'] li")].map(
    ({ textContent }) => textContent,
  );
  expect(rows[1]).toMatch(/'digits' is not found$/);
  expect(rows[0]).toMatch(/'digitz' is not found; did you mean digits\?$/);
  await act(async () => button("'digits'").click());
  expect(page()).toContain("NowFailed: It has no version folder yet.");
  await act(async () => button("'digitz'").click());
  expect(page()).toContain("NowNo model of this repository has this name; did you mean digits?");
  const ready = create(ModelSummarySchema, { name: "digits", state: ModelState.READY });
  await act(async () => useWorkspace.setState({ models: new Map([["digits", ready]]) }));
  await act(async () => button("'digits'").click());
  expect(page()).not.toContain("Now");
});

test("the list from a count has what was counted: of its time, without what failed when it ran", async () => {
  useAsked.setState({ whose: "refused", requestsOf: "", refusedIn: { from: 10, to: 20 } });
  const feed = await show();
  const row = (id: bigint, time: bigint, status: string, reason: string) => ({
    id,
    port: "HTTP",
    model: "digits",
    status,
    reason,
    count: 1n,
    ran: status.startsWith("5"),
    newest: [{ time, client: "10.0.0.7:99" }],
  });
  const changed = [
    row(1n, 15n, "400 Bad Request", "At:\\u000a  model.py"),
    row(2n, 15n, "500 Internal Server Error", "ValueError: no anchors"),
    row(3n, 5n, "400 Bad Request", "unexpected shape"),
  ];
  await feed(create(WatchRefusalsResponseSchema, { reset: true, changed }));
  const rows = () =>
    [...document.querySelectorAll("[aria-label^='Refused requests'] li")].map((li) => li.textContent);
  expect(rows()).toHaveLength(1);
  expect(rows()[0]).toContain("At: ");
  expect(rows()[0]).not.toContain("u000a");
  await act(async () =>
    document.querySelector<HTMLElement>("[aria-label^='Remove the filter: Did not run']")?.click(),
  );
  expect(rows()).toHaveLength(3);
});

test("a decoupled model's refusal says how to ask it", async () => {
  const feed = await show();
  await act(async () => button("Refused by the ports").click());
  const reason = "HTTP end point doesn't support models with decoupled transaction policy";
  const [first] = refused.changed;
  await feed(
    create(WatchRefusalsResponseSchema, { reset: true, changed: [{ ...(first as Refusal), reason }] }),
  );
  await act(async () => button("HTTP end point").click());
  expect(page()).toContain("ask it by generate_stream over HTTP, or by ModelStreamInfer over gRPC.");
  await feed(refused);
  await act(async () => button("nexpected shape").click());
  expect(page()).not.toContain("generate_stream");
});
