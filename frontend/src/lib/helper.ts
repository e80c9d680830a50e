/** Work that a worker does, so that the page can draw meanwhile. Where no worker starts, the page does it. */

type Waiting<Q, A> = {
  readonly question: Q;
  readonly resolve: (answer: A) => void;
  readonly reject: (error: unknown) => void;
};

type Answered<A> =
  | { readonly id: number; readonly answer: A }
  | { readonly id: number; readonly why: string };

/** Asks one worker, which starts with the first question. `here` is the same work in the page. */
export class Helper<Q, A> {
  private readonly waiting = new Map<number, Waiting<Q, A>>();
  private readonly make: () => Worker;
  private readonly here: (question: Q) => A | Promise<A>;
  private worker: Worker | undefined;
  private broken = typeof Worker === "undefined";
  private asked = 0;

  constructor(make: () => Worker, here: (question: Q) => A | Promise<A>) {
    this.make = make;
    this.here = here;
  }

  async ask(question: Q): Promise<A> {
    const worker = this.started();
    if (!worker) return this.here(question);
    const id = ++this.asked;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { question, resolve, reject });
      worker.postMessage({ id, question });
    });
  }

  private started(): Worker | undefined {
    if (this.broken || this.worker) return this.worker;
    try {
      this.worker = this.make();
    } catch {
      this.broken = true; // a browser may refuse to start it, although it knows workers
      return undefined;
    }
    this.worker.onmessage = ({ data }: MessageEvent<Answered<A>>) => this.take(data);
    this.worker.onerror = () => this.giveUp();
    return this.worker;
  }

  private take(answered: Answered<A>): void {
    const waiting = this.waiting.get(answered.id);
    this.waiting.delete(answered.id);
    if ("why" in answered) waiting?.reject(new Error(answered.why));
    else waiting?.resolve(answered.answer);
  }

  /** The worker did not start, or ended: the page does what it was asked. */
  private giveUp(): void {
    this.broken = true;
    this.worker = undefined;
    const left = [...this.waiting.values()];
    this.waiting.clear();
    for (const { question, resolve, reject } of left)
      Promise.resolve(question).then(this.here).then(resolve, reject);
  }
}

/** The worker's side: each question gets its answer, or the reason why there is none. */
export function answerWith<Q, A>(work: (question: Q) => A | Promise<A>): void {
  self.onmessage = async ({ data: { id, question } }: MessageEvent<{ id: number; question: Q }>) => {
    try {
      self.postMessage({ id, answer: await work(question) });
    } catch (error) {
      self.postMessage({ id, why: (error as Error).message });
    }
  };
}
