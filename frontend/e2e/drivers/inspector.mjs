// Speaks WebKit's remote inspector protocol to the production window: WEBKIT_INSPECTOR_HTTP_SERVER opens it,
// so the program under test needs no change and no test hook.
import WebSocket from "ws";

const ANSWER_MS = 30_000; // a machine that does other work too takes its time
const GREETING_MS = 1_500;
const FRAME_CHARS = 32_000; // the window's side closes a connection that gets a frame of 128 KiB

/**
 * Connects to the only page of the window at address ("127.0.0.1:PORT"). WebKit tells its page only to those
 * that ask after the page was made: a question that came too early is never answered and must be asked again.
 */
export async function connectInspector(address, signal) {
  for (;;) {
    signal.throwIfAborted();
    const path = await findPage(address, signal);
    const inspector = await greet(`ws://${address}${path}`).catch(() => null);
    if (inspector) return inspector;
  }
}

async function greet(url) {
  const socket = new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: GREETING_MS });
  const inspector = new Inspector(socket);
  try {
    await within(GREETING_MS, inspector.ready);
    await within(GREETING_MS, inspector.evaluate("1"));
    return inspector;
  } catch (error) {
    socket.terminate();
    throw error;
  }
}

function within(limit, promise) {
  const late = new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`no answer in ${limit} ms`)), limit).unref();
  });
  return Promise.race([promise, late]);
}

async function findPage(address, signal) {
  for (;;) {
    signal.throwIfAborted();
    const page = await fetch(`http://${address}/`, { signal: AbortSignal.timeout(GREETING_MS) })
      .then((r) => r.text())
      .catch(() => "");
    const found = page.match(/\/socket\/\d+\/\d+\/WebPage/);
    if (found) return found[0];
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

class Inspector {
  #socket;
  #target;
  #next = 1;
  #waiting = new Map();

  constructor(socket) {
    this.#socket = socket;
    /** Kept once the page has told its name; broken when the window goes before that. */
    this.ready = new Promise((resolve, reject) => {
      socket.on("message", (data) => this.#take(JSON.parse(data.toString()), resolve));
      socket.on("error", reject);
    });
    socket.on("close", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("the window closed"));
    });
  }

  #take(message, targetKnown) {
    if (message.method === "Target.targetCreated" && message.params.targetInfo.type === "page") {
      this.#target = message.params.targetInfo.targetId;
      targetKnown();
    }
    if (message.method === "Target.didCommitProvisionalTarget") this.#target = message.params.newTargetId;
    if (message.method !== "Target.dispatchMessageFromTarget") return;
    const inner = JSON.parse(message.params.message);
    const waiting = this.#waiting.get(inner.id);
    if (!waiting) return;
    this.#waiting.delete(inner.id);
    if (inner.error) waiting.reject(new Error(inner.error.message));
    else waiting.resolve(inner.result);
  }

  async send(method, params = {}) {
    await this.ready;
    const id = this.#next++;
    const answer = new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      setTimeout(() => reject(new Error(`the window did not answer ${method}`)), ANSWER_MS).unref();
    });
    const message = JSON.stringify({ id, method, params });
    this.#write(
      JSON.stringify({
        id: this.#next++,
        method: "Target.sendMessageToTarget",
        params: { targetId: this.#target, message },
      }),
    );
    return answer;
  }

  /** Sends one message, in as many frames as it takes. */
  #write(message) {
    for (let at = 0; at < message.length; at += FRAME_CHARS) {
      const end = at + FRAME_CHARS;
      this.#socket.send(message.slice(at, end), { fin: end >= message.length });
    }
  }

  /** Runs an expression in the page and gives its JSON value back. */
  async evaluate(expression) {
    const { result, wasThrown } = await this.send("Runtime.evaluate", { expression, returnByValue: true });
    if (wasThrown) throw new Error(result.description ?? "the page threw");
    return result.value;
  }

  close() {
    this.#socket.close();
  }
}
