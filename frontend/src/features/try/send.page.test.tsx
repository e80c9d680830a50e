import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import {
  GetModelResponseSchema,
  type InferResponse,
  InferResponseSchema,
  ListWorkersResponseSchema,
  ModelSummarySchema,
} from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { encode } from "../../lib/tensor";
import { forgetTries, getTry, mendInput, patchTry, tryOf, useTries } from "../../requests/tries";
import { useWorkspace } from "../../workspace/workspace";
import { Response } from "./Response";
import { SendButton } from "./SendButton";
import { send } from "./send";

const details = create(GetModelResponseSchema, { summary: { name: "m" } });

/** A request that the test answers. */
class Call {
  run = "";
  private readonly waiting: InferResponse[] = [];
  private wake = () => {};
  private over = false;

  answer(...messages: MessageInitShape<typeof InferResponseSchema>[]) {
    this.waiting.push(...messages.map((message) => create(InferResponseSchema, message)));
    this.wake();
  }

  end(message: MessageInitShape<typeof InferResponseSchema>) {
    this.over = true;
    this.answer(message);
  }

  breakOff() {
    this.over = true;
    this.wake();
  }

  async *messages() {
    while (this.waiting.length > 0 || !this.over) {
      const next = this.waiting.shift();
      if (next) yield next;
      else await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}

const busy = create(ListWorkersResponseSchema, {
  workers: [{ name: { model: "m", version: 1n, instance: "m_0" }, pid: 7, executingNs: 4_000_000_000n }],
});

function Pane() {
  const { answer, running } = useTries(tryOf("m"));
  return (
    <>
      <SendButton model="m" details={details} />
      {(answer || running) && <Response model="m" answer={answer} running={running} />}
    </>
  );
}

let call: Call;
let root: Root;
const page = document.body.appendChild(document.createElement("div"));
const text = () => page.textContent ?? "";
const button = (name: RegExp) =>
  [...page.querySelectorAll("button")].find((b) => name.test(b.textContent ?? ""));
const rows = () => [...page.querySelectorAll<HTMLButtonElement>("ol[aria-label^=Answers] button")];
const pass = (ms: number) => act(async () => void (await vi.advanceTimersByTimeAsync(ms)));

beforeEach(async () => {
  vi.useFakeTimers();
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(192); // jsdom lays nothing out
  call = new Call();
  vi.spyOn(clients.tryIt, "infer").mockImplementation((request) => {
    call.run = request.run ?? "";
    return call.messages();
  });
  root = createRoot(page);
  vi.spyOn(clients.models, "listWorkers").mockResolvedValue(busy);
  await act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <Pane />
      </QueryClientProvider>,
    ),
  );
});

afterEach(async () => {
  await act(async () => root.unmount());
  act(forgetTries);
  queryClient.clear();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const ask = () => act(async () => void send(details));

test("a request that takes its time shows how long, and can be stopped", async () => {
  const stopInfer = vi.spyOn(clients.tryIt, "stopInfer").mockResolvedValue({} as never);
  await ask();
  expect(button(/^Stop/)).toBeUndefined(); // most are answered before
  await pass(3_200);
  expect(button(/^Stop/)?.textContent).toBe("Stop3.2 s");
  expect(text()).toContain("waiting, 3.2 s");
  await act(async () => button(/^Stop/)?.click());
  expect(stopInfer).toHaveBeenCalledWith({ run: call.run });
  expect(call.run).not.toBe("");
  expect(button(/^Stopping/)).toBeDefined();
  await act(async () => call.end(stopped));
  expect(text()).toContain("Stopped after 3.2 s. The model is free again.");
  expect(page.querySelector("[role=alert]")).toBeNull(); // it is no failure
  expect(button(/^Send/)).toBeDefined();
});

const stopped = { stopped: true, error: "Stopped after 3.2 s", timings: { roundTripNs: 3_214_000_000n } };

test("a program that still executes a stopped request is not called free before it is", async () => {
  await act(async () =>
    useWorkspace.setState({
      models: new Map([["m", create(ModelSummarySchema, { name: "m", kind: "Python" })]]),
    }),
  );
  vi.spyOn(clients.tryIt, "stopInfer").mockResolvedValue({} as never);
  await ask();
  await pass(3_200);
  await act(async () => button(/^Stop/)?.click());
  await act(async () => call.end(stopped));
  await pass(100);
  expect(text()).toContain("Stopped after 3.2 s.");
  expect(text()).not.toContain("free again");
  expect(text()).toContain("The next request waits for it.");
  const how = "It did not react to KeyboardInterrupt, so its process was ended. Conch starts it again.";
  vi.spyOn(clients.models, "interrupt").mockResolvedValue({ how } as never);
  await act(async () => button(/^Interrupt/)?.click());
  expect(text()).toContain(how);
  expect(text()).not.toMatch(/has executed|waits for it|free again/);
  expect(button(/^Interrupt/)).toBeUndefined();
  vi.mocked(clients.models.listWorkers).mockResolvedValue(
    create(ListWorkersResponseSchema, { workers: [{ name: { model: "m", instance: "m_0" } }] }),
  );
  await pass(2_000);
  expect(text()).toContain("Stopped after 3.2 s. The process of its program starts again.");
  vi.mocked(clients.models.listWorkers).mockResolvedValue(
    create(ListWorkersResponseSchema, { workers: [{ name: { model: "m", instance: "m_0" }, pid: 7 }] }),
  );
  await pass(2_000);
  expect(text()).toContain("The model is free again.");
  expect(button(/^Interrupt/)).toBeUndefined();
  // The next one that is stopped is asked about again.
  vi.mocked(clients.models.listWorkers).mockResolvedValue(busy);
  call = new Call();
  await ask();
  await pass(3_200);
  await act(async () => call.end(stopped));
  await pass(100);
  expect(text()).not.toContain("free again");
  await act(async () => useWorkspace.setState({ models: new Map() }));
});

test("what a stopped request still executes is told once when the next one is sent", async () => {
  const models = new Map([["m", create(ModelSummarySchema, { name: "m", kind: "Python" })]]);
  await act(async () => useWorkspace.setState({ models }));
  await ask();
  await act(async () => call.end(stopped));
  await pass(100);
  expect(text()).toContain("The next request waits for it.");
  call = new Call();
  await ask();
  for (const ms of [100, 4_000]) {
    await pass(ms);
    expect(text()).toContain("Stopped after 3.2 s.");
    expect(text().match(/m_0 has executed/g)).toHaveLength(1);
  }
  await act(async () => call.end({ ok: true }));
  await act(async () => useWorkspace.setState({ models: new Map() }));
});

const word = (n: number) => ({
  ok: true,
  timings: { roundTripNs: BigInt(n) * 1_000_000n },
  partial: true,
  decoupled: true,
  outputs: [{ name: "n", datatype: "INT32", shape: [1n], raw: encode("INT32", [n]) }],
});

test("the answers of a decoupled model show as they come, and stay when it is stopped", async () => {
  await ask();
  await act(async () => call.answer(word(1001), word(1002)));
  await pass(100);
  expect(text()).toContain("of 2");
  expect(text()).toContain("1002");
  await act(async () => rows()[0]?.click());
  expect(rows()[0]?.getAttribute("aria-pressed")).toBe("true");
  expect(rows().map(({ textContent }) => textContent)).toEqual(["11.00 s1001", "21.00 s1002"]);
  await act(async () => call.answer(word(1003)));
  await pass(100);
  expect(text()).toContain("of 3");
  expect(rows()[0]?.getAttribute("aria-pressed")).toBe("true"); // what the reader chose stays
  await act(async () =>
    call.end({
      stopped: true,
      decoupled: true,
      answers: 3n,
      error: "Stopped after 0.2 s",
      timings: { roundTripNs: 2n },
    }),
  );
  expect(text()).toContain("Stopped after 0.2 s, with 3 answers so far.");
  expect(getTry("m").answer?.parts).toHaveLength(3);
});

test("an answer that comes after another repository was opened is left out", async () => {
  await ask();
  await act(async () => forgetTries());
  await act(async () => call.end({ ok: true }));
  expect(getTry("m").answer).toBeUndefined();
});

test("a call that ends without its last message is no answer", async () => {
  await ask();
  await act(async () => call.answer(word(1001)));
  await pass(100);
  await act(async () => call.breakOff());
  expect(text()).toContain("Cut off after 1 answer");
  expect(text()).not.toContain("No answer came");
  expect(text()).toContain("1001"); // what came is kept
});

test("the answer of the last request that was sent comes back once what kept others from being sent is mended", async () => {
  await ask();
  await act(async () => call.end({ ok: true, outputs: word(7).outputs }));
  const inputs = [{ name: "x", datatype: "INT32", shape: [2n], dims: [2n] }];
  const needs = create(GetModelResponseSchema, { summary: { name: "m" }, inputs });
  const wrong = { source: "values" as const, shape: [2], values: "[1]", skip: false };
  await act(async () => patchTry("m", { inputs: { x: wrong } }));
  for (const _ of [1, 2]) await act(async () => void (await send(needs)));
  expect(text()).toContain("Nothing was sent");
  await act(async () => mendInput("m", "x"));
  expect(text()).toMatch(/Answer.*INT32 \[1\].*7/);
  expect(text()).not.toContain("Nothing was sent");
  expect(getTry("m").answer?.response?.ok).toBe(true);
});

test("a request that runs for seconds shows which process runs it, and can be interrupted there", async () => {
  act(() => void send(details));
  await pass(2_900);
  expect(text()).not.toContain("m_0");
  await pass(900); // now the process is asked
  await pass(100);
  expect(text()).toContain("m_0 has executed a request for 4 s.");
  const interrupt = vi.spyOn(clients.models, "interrupt").mockResolvedValue({ how: "It ended." } as never);
  await act(async () => button(/^Interrupt$/)?.click());
  expect(interrupt).toHaveBeenCalledOnce();
  call.end({ error: "KeyboardInterrupt: the request was interrupted" });
  await pass(0);
  expect(text()).not.toContain("m_0 executes");
});

test("an output that the model did not answer is named", async () => {
  const two = create(GetModelResponseSchema, {
    summary: { name: "m" },
    outputs: [{ name: "OUT" }, { name: "SUM" }],
  });
  await act(async () => void send(two));
  const sum = { name: "SUM", datatype: "FP32", shape: [1n], raw: encode("FP32", [4]) };
  await act(async () => call.end({ ok: true, outputs: [sum] }));
  expect(text()).toContain("OUT was not answered");
  expect(text()).not.toContain("SUM was not answered");
});

test("an answer makes the next request go on in its sequence, a refusal does not", async () => {
  const needs = create(GetModelResponseSchema, { ...details, needsSequence: true });
  const models = new Map([["m", create(ModelSummarySchema, { name: "m", loaded: 7n })]]);
  await act(async () => useWorkspace.setState({ models }));
  const asked = async (end: MessageInitShape<typeof InferResponseSchema>) => {
    call = new Call();
    await act(async () => {
      const sent = send(needs);
      call.end(end);
      await sent;
    });
    return getTry("m").sequence;
  };
  expect(await asked({ ok: false, error: "no" })).toEqual({ id: "1", start: true, end: false });
  expect(await asked({ ok: true })).toEqual({ id: "1", start: false, end: false, load: 7n });
  await act(async () => useWorkspace.setState({ models: new Map() }));
});
