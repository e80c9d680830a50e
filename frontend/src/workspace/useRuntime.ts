import { useQuery } from "@tanstack/react-query";
import { clients } from "../api/client";
import type { Runtime } from "../api/conch_pb";

interface RuntimeQuery {
  readonly enabled?: boolean;
  /** Whether the builds are asked again when what needs the answer appears. */
  readonly news?: boolean;
}

/** The build of ONNX Runtime that engines use; undefined while that is not known, or where there is none. */
export function useRuntime({ enabled = true, news = false }: RuntimeQuery = {}): Runtime | undefined {
  const { data } = useQuery({
    queryKey: ["runtimes"],
    queryFn: ({ signal }) => clients.workspace.listRuntimes({}, { signal }),
    enabled,
    ...(news && { staleTime: 0 }),
  });
  return data?.here.find((one) => one.used);
}

/** Whether a build of ONNX Runtime runs models on GPUs here. */
export const hasCuda = ({ providers, missing }: Runtime): boolean =>
  providers.includes("CUDA") && !missing.some(({ provider }) => provider === "CUDA");
