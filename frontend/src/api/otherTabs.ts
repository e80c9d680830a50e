// Tabs of one browser and one address give each other the token, so that a second tab needs none in its address. The
// browser hands such messages to pages of the same origin alone, and keeps none of them.

const CHANNEL = "conch-token";

/** How long other tabs may take to answer. One that the browser has frozen never does. */
const ANSWER_MS = 250;

type Said = { readonly asks: true } | { readonly token: string };

const tokenOf = (said: unknown): string | undefined => {
  const { token } = (said ?? {}) as { token?: unknown };
  return typeof token === "string" ? token : undefined;
};

const say = (channel: BroadcastChannel, said: Said) => channel.postMessage(said);

/** Answers other tabs with the token that fits; current is undefined while it is not known to fit. */
export function shareToken(current: () => string | undefined): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    const token = current();
    if (tokenOf(data) === undefined && token !== undefined) say(channel, { token });
  };
  return () => channel.close();
}

/** Asks the other tabs for the token; undefined where none has one that fits. */
export function askOtherTabs(answerMs = ANSWER_MS): Promise<string | undefined> {
  const channel = new BroadcastChannel(CHANNEL);
  return new Promise((resolve) => {
    const end = (token?: string) => {
      clearTimeout(timer);
      channel.close();
      resolve(token);
    };
    const timer = setTimeout(end, answerMs);
    channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      const token = tokenOf(data);
      if (token !== undefined) end(token);
    };
    say(channel, { asks: true });
  });
}
