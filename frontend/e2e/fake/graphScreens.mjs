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

const showAll = async (page) => {
  await page.getByRole("button", { name: "Fit", exact: true }).click();
  await page.waitForTimeout(300);
};

const screen = (name, size, act, tab = "try") => ({
  hash: `#/models/${name}/${tab}`,
  schemes: both,
  wait: 3000,
  size,
  act,
});

const pick = (selector) => async (page) => {
  await showAll(page);
  await page.locator(selector).first().dispatchEvent("click");
  await page.waitForTimeout(300);
};

export const graphScreens = {
  graphCalls: screen("reader", sizes[""], undefined, "graph"),
  graphCallsFit: screen("reader", sizes[""], showAll, "graph"),
  graphCallsEdge: screen("reader", sizes.Wide, pick('[data-id="model>call:reader_v1"]'), "graph"),
  ...Object.fromEntries(
    Object.entries(names).flatMap(([title, name]) =>
      Object.entries(sizes).flatMap(([suffix, size]) => [
        [`${title}${suffix}`, screen(name, size)],
        [`${title}Fit${suffix}`, screen(name, size, showAll)],
      ]),
    ),
  ),
};
