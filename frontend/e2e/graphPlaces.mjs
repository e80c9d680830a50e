// Configs of ensembles of add_sub, small and large.

const tensor = (name) => `{ name: "${name}" data_type: TYPE_INT32 dims: [ 16 ] }`;

const step = ([first, second], name, key = "INPUT1") => `
    {
      model_name: "add_sub"
      model_version: -1
      input_map { key: "INPUT0" value: "${first}" }
      input_map { key: "${key}" value: "${second}" }
      output_map { key: "OUTPUT0" value: "${name}" }
    }`;

const config = (steps, outputs) => `platform: "ensemble"
max_batch_size: 8
input [ ${tensor("IN")} ]
output [ ${outputs.map(tensor).join(", ")} ]
ensemble_scheduling {
  step [${steps.join(",")}
  ]
}
`;

const COUNT = 200;
const all = Array.from({ length: COUNT }, (_, i) => i);

/** Two steps; the second one names an input that its model does not have. */
export const broken = config([step(["IN", "IN"], "t0"), step(["t0", "t0"], "OUT", "INPUT_1")], ["OUT"]);

/** Six steps, each of which names an input that its model does not have. */
export const brokenAll = config(
  [0, 1, 2, 3, 4, 5].map((i) =>
    step(i === 0 ? ["IN", "IN"] : [`t${i - 1}`, `t${i - 1}`], `t${i}`, `INPUT_${i}`),
  ),
  ["t5"],
);

/** Steps one after the other. */
export const chain = config(
  all.map((i) => step(i === 0 ? ["IN", "IN"] : [`t${i - 1}`, `t${i - 1}`], `t${i}`)),
  [`t${COUNT - 1}`],
);

/** Ten rows of steps; each step reads its own row and the next one. */
export const lattice = config(
  all.map((i) => {
    const next = i - 10 - (i % 10) + (((i % 10) + 1) % 10);
    return step(i < 10 ? ["IN", "IN"] : [`t${i - 10}`, `t${next}`], `t${i}`);
  }),
  all.slice(-10).map((i) => `t${i}`),
);

/** Steps beside each other, which all read one input. */
export const branches = config(
  all.map((i) => step(["IN", "IN"], `t${i}`)),
  all.map((i) => `t${i}`),
);
