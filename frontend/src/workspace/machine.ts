import { type Engine, Engine_State } from "../api/conch_pb";
import { selectStrictGpu } from "./trust";
import { useWorkspace } from "./workspace";

/** The GPUs as models have them, and why there are none: where a model runs is decided again when they change. */
const namesOf = ({ gpus, gpusLost, gpusRead, gpuTrouble }: Engine): readonly string[] => [
  `${gpusRead} ${gpusLost.join()} ${gpuTrouble}`,
  ...(gpuTrouble === "" ? gpus : []).flatMap(({ device, uuid, instances }) => [
    device && `${device} ${uuid}`,
    ...instances.map((one) => one.device && `${one.device} ${one.uuid}`),
  ]),
];

/** All that decides what becomes of a config beside the files, as a part of the key of a question: the engine, its GPUs, and whether missing ones are refused. */
export function useMachine(): readonly unknown[] {
  const engine = useWorkspace((state) => state.engine);
  const strict = useWorkspace(selectStrictGpu);
  if (!engine) return [];
  return [engine.remote?.name, engine.state === Engine_State.READY, engine.pid, strict, namesOf(engine)];
}
