export interface DiffLine {
  kind: "same" | "added" | "removed";
  text: string;
}

/** Cells of the comparison table; beyond it the middle is shown as replaced whole. */
const LARGEST = 4_000_000;

const mark =
  (kind: DiffLine["kind"]) =>
  (text: string): DiffLine => ({ kind, text });

/** Lengths of the longest common subsequences of all tails, the textbook way. */
function table(a: string[], b: string[]): Uint32Array[] {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    const row = rows[i];
    const below = rows[i + 1];
    if (!row || !below) continue;
    for (let j = b.length - 1; j >= 0; j--) {
      row[j] = a[i] === b[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return rows;
}

function middleDiff(a: string[], b: string[]): DiffLine[] {
  if (a.length * b.length > LARGEST) return [...a.map(mark("removed")), ...b.map(mark("added"))];
  const rows = table(a, b);
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push({ kind: "same", text: a[i] ?? "" });
      i++;
      j++;
    } else if ((rows[i + 1]?.[j] ?? 0) >= (rows[i]?.[j + 1] ?? 0)) {
      lines.push({ kind: "removed", text: a[i++] ?? "" });
    } else {
      lines.push({ kind: "added", text: b[j++] ?? "" });
    }
  }
  return [...lines, ...a.slice(i).map(mark("removed")), ...b.slice(j).map(mark("added"))];
}

/** What has to be removed from and added to the old text's lines to have the new one's. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const a = before.split(/\r\n|\n/);
  const b = after.split(/\r\n|\n/);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end++;
  return [
    ...a.slice(0, start).map(mark("same")),
    ...middleDiff(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(mark("same")),
  ];
}
