/** Pictures, sounds and arrays that are dropped beside the inputs that they may be meant for. */

import type { GetModelResponse, TensorSpec } from "../../api/conch_pb";
import { keys, queryClient } from "../../api/queries";
import { guessImage } from "../../lib/image";
import { visible } from "../../lib/visible";
import { usePlace } from "../../window/place";
import { toast } from "../../window/toasts";

/** Whether a file is certainly no model. */
export const isData = ({ name, type }: Pick<File, "name" | "type">): boolean =>
  /^(image|audio|video)\//.test(type) || /\.np[yz]$/i.test(name);

const takesPictures = ({ datatype, shape }: TensorSpec): boolean =>
  datatype === "BYTES" || guessImage(shape, datatype) !== undefined;

/** Says that a file is no model, and which inputs of the model on the screen take it. */
export function tellWhereDataGoes(name: string): void {
  const { model } = usePlace.getState();
  const known = queryClient.getQueryData<GetModelResponse>([...keys.model(model), "details"]);
  const inputs = known?.inputs ?? [];
  const array = /\.np[yz]$/i.test(name);
  const takers = array ? inputs : inputs.filter(takesPictures);
  toast({
    level: "warning",
    text: `${visible(name)} is no model file`,
    names: [visible(name)],
    detail: whereTo(model, takers),
  });
}

function whereTo(model: string, takers: readonly TensorSpec[]): string {
  if (takers.length === 0)
    return "To send it to a model, open a model that takes such files, and drop it on one of its inputs.";
  const names = takers.map(({ name }) => visible(name)).join(" or ");
  return `To send it to ${visible(model)}, drop it on the input ${names}.`;
}
