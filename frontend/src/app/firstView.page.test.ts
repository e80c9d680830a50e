import { beforeEach, expect, test, vi } from "vitest";
import { clients } from "../api/client";
import { queryClient } from "../api/queries";
import { useWorkspace } from "../workspace/workspace";
import { tellFirstView } from "./firstView";

const told = vi.spyOn(clients.workspace, "noteShown").mockResolvedValue({} as never);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  told.mockClear();
  queryClient.clear();
  useWorkspace.setState({ ...useWorkspace.getInitialState(), seq: 1n }, true);
  return () => vi.useRealTimers();
});

test("the first view is told once the list is known, the rest is fetched, and a moment was quiet", async () => {
  useWorkspace.setState({ seq: 0n });
  let fetched = () => {};
  const all = tellFirstView(new Promise<void>((resolve) => (fetched = resolve)));
  await vi.advanceTimersByTimeAsync(1000);
  fetched();
  await vi.advanceTimersByTimeAsync(1000);
  expect(told).not.toHaveBeenCalled();
  useWorkspace.setState({ seq: 1n });
  await vi.advanceTimersByTimeAsync(299);
  expect(told).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await all;
  expect(told).toHaveBeenCalledOnce();
});

test("it waits while a person opens pages, two seconds at most", async () => {
  void tellFirstView(Promise.resolve());
  for (let i = 0; i < 9; i++) {
    await vi.advanceTimersByTimeAsync(200);
    window.dispatchEvent(new Event("hashchange"));
  }
  expect(told).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(200);
  expect(told).toHaveBeenCalledOnce();
});

test("it waits for the answers that the page asked for", async () => {
  let answer = () => {};
  void queryClient.fetchQuery({
    queryKey: ["x"],
    queryFn: () => new Promise<number>((r) => (answer = () => r(1))),
  });
  void tellFirstView(Promise.resolve());
  await vi.advanceTimersByTimeAsync(900);
  expect(told).not.toHaveBeenCalled();
  answer();
  await vi.advanceTimersByTimeAsync(300);
  expect(told).toHaveBeenCalledOnce();
});
