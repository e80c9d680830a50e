import { QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import { clients } from "./client";
import { describeError } from "./errors";

/** Answers stay valid until the workspace stream says that something changed. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      retry: (count, error) => count < 2 && describeError(error).retry,
    },
  },
});

/** Key prefixes. Everything under ["model", name] is asked again when that model changes. */
export const keys = {
  model: (name: string) => ["model", name] as const,
  problems: () => ["problems"] as const,
  history: (model: string) => ["history", model] as const,
};

/** What the first key of an answer is that is of the repository or the server that is shown. */
const ofShown: readonly unknown[] = [
  "model",
  "problems",
  "history",
  "log",
  "tensors",
  "workers",
  "differences",
];

/** Another repository or server is shown: what the one before answered is not shown as its answer, not even until it comes. */
export const forgetShown = (): Promise<void> =>
  queryClient.resetQueries({ predicate: ({ queryKey: [first] }) => ofShown.includes(first) });

export const modelQuery = (name: string) =>
  queryOptions({
    queryKey: [...keys.model(name), "details"],
    queryFn: ({ signal }) => clients.models.getModel({ name }, { signal }),
    // While a model loads, what was known of it stays on the screen.
    placeholderData: (last) => (last?.summary?.name === name ? last : undefined),
  });

/** Metadata of one model: inputs, outputs, files. */
export const useModel = (name: string) => useQuery(modelQuery(name));

/** The kinds of model that a new one can be. */
export const useKinds = () =>
  useQuery({
    queryKey: ["kinds"],
    queryFn: ({ signal }) => clients.models.listKinds({}, { signal }),
    staleTime: 0, // what the engine can run is known by and by
  });

/** No more of one tensor than can be looked at. */
const MOST_TRACED = 4n << 20n;

/** The tensors that the engine kept of a request; not for long. */
export const tracedQuery = (traceId: bigint) =>
  queryOptions({
    queryKey: ["traced", String(traceId)],
    queryFn: ({ signal }) => clients.tryIt.listTracedTensors({ traceId, maxBytes: MOST_TRACED }, { signal }),
    retry: false,
  });

export const problemsQuery = () =>
  queryOptions({
    queryKey: keys.problems(),
    queryFn: ({ signal }) => clients.workspace.listProblems({ model: "" }, { signal }),
  });
