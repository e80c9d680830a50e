/** The room in a table of rows that are not drawn. */
export function TableGap({ height }: { readonly height: number }) {
  return height > 0 ? <tr style={{ height }} /> : null;
}
