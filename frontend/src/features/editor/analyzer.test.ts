import { create } from "@bufbuild/protobuf";
import { expect, test, vi } from "vitest";
import { AnalyzeResponseSchema } from "../../api/conch_pb";
import { createAnalyzer } from "./analyzer";

function setUp() {
  const questions: { text: string; answer: () => void }[] = [];
  const answered: bigint[] = [];
  let text = "";
  const analyzer = createAnalyzer({
    text: () => text,
    ask: (asked, number) =>
      new Promise((resolve) => {
        questions.push({ text: asked, answer: () => resolve(create(AnalyzeResponseSchema, { number })) });
      }),
    onAnswer: ({ number }) => answered.push(number),
    onError: () => undefined,
  });
  const type = (next: string) => {
    text = next;
    analyzer.request(next.length);
  };
  return { questions, answered, type, analyzer };
}

test("asks at once, one question at a time, and last about the newest text", async () => {
  const { questions, answered, type } = setUp();
  type("a");
  type("ab");
  type("abc");
  expect(questions.map(({ text }) => text)).toEqual(["a"]);
  questions[0]?.answer();
  await vi.waitFor(() => expect(questions.map(({ text }) => text)).toEqual(["a", "abc"]));
  questions[1]?.answer();
  await vi.waitFor(() => expect(answered).toEqual([3n]));
});

test("says nothing after it was ended", async () => {
  const { questions, answered, type, analyzer } = setUp();
  type("a");
  analyzer.destroy();
  questions[0]?.answer();
  await Promise.resolve();
  expect(answered).toEqual([]);
});

test("a page that goes away asks again what has no answer, and nothing else", async () => {
  const { questions, answered, type, analyzer } = setUp();
  type("a");
  analyzer.flush();
  expect(questions.map(({ text }) => text)).toEqual(["a", "a"]);
  for (const question of questions) question.answer();
  await vi.waitFor(() => expect(answered).toEqual([1n, 1n]));
  analyzer.flush();
  expect(questions).toHaveLength(2);
});

test("a large text is asked about in a pause, and soon also while the typing goes on", () => {
  vi.useFakeTimers();
  try {
    const { questions, type } = setUp();
    const large = "x".repeat(200_001);
    type(large);
    vi.advanceTimersByTime(149);
    expect(questions).toHaveLength(0);
    for (let typed = 1; typed < 20 && questions.length === 0; typed++) {
      type(large + "y".repeat(typed));
      vi.advanceTimersByTime(50);
    }
    expect(questions).toHaveLength(1);
    expect(questions[0]?.text.length).toBeLessThan(large.length + 10);
  } finally {
    vi.useRealTimers();
  }
});
