import { useQuery } from "@tanstack/react-query";
import { clients } from "../api/client";
import { type Engine, Engine_State, type GetModelResponse } from "../api/conch_pb";
import { keys } from "../api/queries";
import { type Room, roomFor } from "./room";
import { selectStrictGpu } from "./trust";
import { useWorkspace } from "./workspace";

/** The GPUs as models have them, none of a driver in trouble: where a model runs is decided again when they change. */
const namesOf = ({ gpus, gpuTrouble }: Engine): readonly string[] =>
  (gpuTrouble === "" ? gpus : []).flatMap(({ device, uuid, instances }) => [
    device && `${device} ${uuid}`,
    ...instances.map((one) => one.device && `${one.device} ${one.uuid}`),
  ]);

/** Where a model that is not loaded would find room; undefined while the model itself is not known. */
export function useRoom(details: GetModelResponse | undefined): Room | undefined {
  const engine = useWorkspace((state) => state.engine);
  const strict = useWorkspace(selectStrictGpu);
  const name = details?.summary?.name ?? "";
  const answers =
    engine !== undefined && (engine.remote !== undefined || engine.state === Engine_State.READY);
  const { data } = useQuery({
    queryKey: [...keys.model(name), "devices", engine?.pid, strict, engine && namesOf(engine)],
    queryFn: ({ signal }) => clients.models.findDevices({ name }, { signal }),
    enabled: answers && name !== "",
    placeholderData: (last) => last,
  });
  return details && roomFor(details, engine, data);
}
