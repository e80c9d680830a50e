// Rows of the benchmark: a figure beside its aim.

/** Prints a figure that should not be above its aim, with what else is known of it. */
export function row(name, figure, { unit, aim, more }) {
  const digits = figure < 10 ? 2 : 0;
  const missed = figure > aim ? "  MISSED" : "";
  const rest = more ? `; ${more}` : "";
  console.log(
    `  ${name.padEnd(48)} ${`${figure.toFixed(digits)} ${unit}`.padEnd(10)} aim: at most ${aim} ${unit}${missed}${rest}`,
  );
}

export const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
