/** Whether models can run on the GPUs that are there. */
import { useQuery } from "@tanstack/react-query";
import { clients } from "../api/client";
import type { Engine, Runtime } from "../api/conch_pb";

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

/** Whether a backend can use the GPUs of where it serves; undefined while that is not known. Only ONNX Runtime may come without CUDA. */
export function useOnGpus(backend: string | undefined, engine: Engine | undefined): boolean | undefined {
  const asks =
    backend === "onnxruntime" &&
    engine !== undefined &&
    engine.remote === undefined &&
    engine.gpus.length > 0;
  const runtime = useRuntime({ enabled: asks });
  if (!asks) return true;
  return runtime && hasCuda(runtime);
}
