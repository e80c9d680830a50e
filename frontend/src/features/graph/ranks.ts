/** The columns of the boxes: each box is to the right of what feeds it. Pure functions. */

type End = { readonly source: string; readonly target: string };

/** Lines that close a circle are left out of the ranks. */
export function ranksOf(ids: readonly string[], lines: readonly End[]): Map<string, number> {
  const next = withoutCircles(ids, lines);
  const ranks = longestWays(ids, next);
  // A box that nothing feeds is next to the first that it feeds, not at the far left.
  const fed = new Set([...next.values()].flat());
  for (const id of ids) {
    const feeds = next.get(id) ?? [];
    if (fed.has(id) || feeds.length === 0) continue;
    ranks.set(
      id,
      feeds.reduce((least, target) => Math.min(least, ranks.get(target) ?? 0), Number.POSITIVE_INFINITY) - 1,
    );
  }
  return ranks;
}

/** The boxes that each box feeds, without the lines that lead back. */
function withoutCircles(ids: readonly string[], lines: readonly End[]): Map<string, string[]> {
  const all = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const { source, target } of lines) if (all.has(target)) all.get(source)?.push(target);
  const next = new Map<string, string[]>(ids.map((id) => [id, []]));
  const state = new Map<string, "open" | "done">();
  for (const root of ids) {
    if (state.has(root)) continue;
    const stack = [{ id: root, at: 0 }];
    state.set(root, "open");
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const target = all.get(top.id)?.[top.at++];
      if (target === undefined) {
        state.set(top.id, "done");
        stack.pop();
      } else if (state.get(target) !== "open") {
        next.get(top.id)?.push(target);
        if (!state.has(target)) {
          state.set(target, "open");
          stack.push({ id: target, at: 0 });
        }
      }
    }
  }
  return next;
}

function longestWays(ids: readonly string[], next: ReadonlyMap<string, string[]>): Map<string, number> {
  const ranks = new Map(ids.map((id) => [id, 0]));
  const waits = new Map(ids.map((id) => [id, 0]));
  for (const targets of next.values()) for (const id of targets) waits.set(id, (waits.get(id) ?? 0) + 1);
  const ready = ids.filter((id) => waits.get(id) === 0);
  for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
    for (const target of next.get(id) ?? []) {
      ranks.set(target, Math.max(ranks.get(target) ?? 0, (ranks.get(id) ?? 0) + 1));
      const left = (waits.get(target) ?? 0) - 1;
      waits.set(target, left);
      if (left === 0) ready.push(target);
    }
  }
  return ranks;
}
