/** Every output of one answer, in the order of the config. */
import type { OutputTensor } from "../../api/conch_pb";
import { outputTensor } from "../../requests/outputs";
import { TensorView } from "../../ui/tensor/TensorView";
import css from "./try.module.css";

export function Outputs({ outputs }: { readonly outputs: readonly OutputTensor[] }) {
  if (outputs.length === 0) return <p className={css.hint}>The model answered without outputs.</p>;
  return outputs.map((output) => <TensorView key={output.name} tensor={outputTensor(output)} />);
}
