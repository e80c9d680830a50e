import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { GetModelResponseSchema, InferResponseSchema } from "../../api/conch_pb";
import { queryClient } from "../../api/queries";
import { encode } from "../../lib/tensor";
import { forgetTries, tryOf, useTries } from "../../requests/tries";
import { Response } from "./Response";
import { send } from "./send";

function Pane() {
  const { answer, running } = useTries(tryOf("m"));
  return answer && <Response model="m" answer={answer} running={running} />;
}

let root: Root;
const page = document.body.appendChild(document.createElement("div"));
const show = () =>
  act(async () =>
    root.render(
      <QueryClientProvider client={queryClient}>
        <Pane />
      </QueryClientProvider>,
    ),
  );

beforeEach(async () => {
  vi.useFakeTimers(); // requests are told apart by when they were sent
  root = createRoot(page);
  await show();
});
afterEach(async () => {
  await act(async () => root.unmount());
  act(forgetTries);
  queryClient.clear();
  vi.useRealTimers();
});

/** Sends a request that is answered with these messages. */
async function ask(...messages: MessageInitShape<typeof InferResponseSchema>[]) {
  vi.spyOn(clients.tryIt, "infer").mockImplementation(async function* () {
    for (const message of messages) yield create(InferResponseSchema, message);
  });
  vi.advanceTimersByTime(1);
  await act(() => send(create(GetModelResponseSchema, { summary: { name: "m" } })));
}

const gives = (...values: number[]) => ({
  ok: true,
  outputs: [{ name: "OUT", datatype: "INT32", shape: [BigInt(values.length)], raw: encode("INT32", values) }],
});

const box = () => page.querySelector("section[aria-label=Response] > div:last-child") as HTMLElement;
const scrollTo = (top: number) => {
  box().scrollTop = top;
  box().dispatchEvent(new Event("scroll"));
};

test("an answer of another form begins at its top, and one of the same form stays where the reader is", async () => {
  await ask(gives(1, 2));
  scrollTo(300);
  await ask(gives(3, 4));
  expect(page.textContent).toContain("3");
  expect(box().scrollTop).toBe(300);
  await ask(gives(5, 6, 7));
  expect(box().scrollTop).toBe(0);
  scrollTo(300);
  await ask({ ok: false, error: "it is full" });
  expect(box().scrollTop).toBe(0);
  await ask(gives(1, 2));
  scrollTo(300);
  const word = { ...gives(1, 2), partial: true, decoupled: true };
  await ask(word, word, { ok: true, decoupled: true, answers: 2n });
  expect(box().scrollTop).toBe(0);
});

test("it begins there also when it came while another page was shown", async () => {
  await ask(gives(1, 2));
  scrollTo(300);
  await act(async () => root.unmount());
  await ask(gives(1, 2, 3));
  root = createRoot(page);
  await show();
  expect(box().scrollTop).toBe(0);
});
