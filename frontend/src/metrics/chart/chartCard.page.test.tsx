import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { NoticeSchema } from "../../api/conch_pb";
import { emptySeries } from "../../lib/series";
import { useWorkspace } from "../../workspace/workspace";
import type { FeedState } from "../feed";
import { ChartCard } from "./ChartCard";
import { requestsCard } from "./cards";

vi.mock("./TimeChart", () => ({ TimeChart: () => null }));

test("an empty chart does not say that there were no requests while history is not written", async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const page = document.body.appendChild(document.createElement("div"));
  const root = createRoot(page);
  const feed: FeedState = {
    view: { range: "15m" },
    series: emptySeries(),
    events: [],
    from: 0,
    to: 900,
    loading: false,
    error: undefined,
  };
  await act(async () =>
    root.render(<ChartCard spec={requestsCard} feed={feed} phrase="in the last 15 minutes" />),
  );
  expect(page.textContent).toContain("No requests in the last 15 minutes");
  const unwritten = create(NoticeSchema, { text: "the disk is full" });
  await act(async () => useWorkspace.setState({ unwritten }));
  expect(page.textContent).toContain("history is not being written");
  expect(page.textContent).not.toContain("No requests");
  await act(async () => root.unmount());
});
