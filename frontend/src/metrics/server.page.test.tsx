import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, test, vi } from "vitest";
import { clients } from "../api/client";
import {
  EngineSchema,
  MetricSummarySchema,
  NoticeSchema,
  QueryResponseSchema,
  RepositorySchema,
  SummarizeResponseSchema,
} from "../api/conch_pb";
import { useWorkspace } from "../workspace/workspace";
import { useMetrics } from "./useMetrics";
import { useSummaries } from "./useSummaries";

const view = { range: "15m" } as const;
const shown = (name?: string) =>
  useWorkspace.setState({
    engine: create(EngineSchema, name === undefined ? {} : { remote: { name } }),
  });

function Events() {
  return <p>{useMetrics("digits", view).events.map((event) => event.text)}</p>;
}

function Requests() {
  return <p>{String(useSummaries(["digits"], view).get("digits")?.requests ?? "none")}</p>;
}

async function draw(what: React.ReactNode) {
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  await act(async () => root.render(what));
  return { page, end: () => act(async () => root.unmount()) };
}

afterEach(() => {
  vi.restoreAllMocks();
  useWorkspace.setState({ engine: undefined, repository: undefined });
});

test("what happened on this machine is not shown as the server's, also before the server's figures are here", async () => {
  const events = [create(NoticeSchema, { id: 1n, time: BigInt(Date.now()), text: "loaded here" })];
  const query = vi
    .spyOn(clients.metrics, "query")
    .mockResolvedValue(create(QueryResponseSchema, { stepMs: 1000, events }));
  shown();
  const { page, end } = await draw(<Events />);
  await vi.waitFor(() => expect(page.textContent).toBe("loaded here"));
  query.mockReturnValue(new Promise(() => {}));
  await act(async () => shown("staging"));
  expect(page.textContent).toBe("");
  await end();
});

test("requests to this machine are not counted as the server's", async () => {
  const summaries = [create(MetricSummarySchema, { model: "digits", requests: 3n })];
  const summarize = vi
    .spyOn(clients.metrics, "summarize")
    .mockResolvedValue(create(SummarizeResponseSchema, { summaries }));
  shown();
  const { page, end } = await draw(<Requests />);
  await vi.waitFor(() => expect(page.textContent).toBe("3"));
  summarize.mockReturnValue(new Promise(() => {}));
  await act(async () => shown("staging"));
  expect(page.textContent).toBe("none");
  await end();
});

test("what one repository did is not shown as the next one's", async () => {
  const summaries = [create(MetricSummarySchema, { model: "digits", requests: 3n })];
  const events = [create(NoticeSchema, { id: 1n, time: BigInt(Date.now()), text: "loaded in one" })];
  const summarize = vi
    .spyOn(clients.metrics, "summarize")
    .mockResolvedValue(create(SummarizeResponseSchema, { summaries }));
  const query = vi
    .spyOn(clients.metrics, "query")
    .mockResolvedValue(create(QueryResponseSchema, { stepMs: 1000, events }));
  const open = (id: string) => useWorkspace.setState({ repository: create(RepositorySchema, { id }) });
  open("one");
  const { page, end } = await draw([<Requests key="requests" />, <Events key="events" />]);
  await vi.waitFor(() => expect(page.textContent).toBe("3loaded in one"));
  summarize.mockReturnValue(new Promise(() => {}));
  query.mockReturnValue(new Promise(() => {}));
  await act(async () => open("two"));
  expect(page.textContent).toBe("none");
  await end();
});
