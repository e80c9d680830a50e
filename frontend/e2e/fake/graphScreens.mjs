// Graphs of ensembles. They are of the scene "graphs": serve.mjs PORT graphs
const both = ["light", "dark"];
const sizes = {
  "": { width: 1280, height: 800 },
  Narrow: { width: 1024, height: 700 },
  Wide: { width: 1920, height: 1080 },
};
const names = {
  graphOne: "one_step",
  graphFanIn: "fan_in",
  graphLate: "late_input",
  graphTwo: "two_steps",
  graphFive: "five_steps",
  graphChain: "chain_of_200",
  graphLattice: "lattice_of_200",
  graphBranches: "branches_of_200",
};

const fit = async (page) => {
  await page.getByRole("button", { name: "Fit", exact: true }).click();
  await page.waitForTimeout(300);
};

const screen = (name, size, act) => ({
  hash: `#/models/${name}/try`,
  schemes: both,
  wait: 3000,
  size,
  act,
});

export const graphScreens = Object.fromEntries(
  Object.entries(names).flatMap(([title, name]) =>
    Object.entries(sizes).flatMap(([suffix, size]) => [
      [`${title}${suffix}`, screen(name, size)],
      [`${title}Fit${suffix}`, screen(name, size, fit)],
    ]),
  ),
);
