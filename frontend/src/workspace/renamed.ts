/** Who keeps something of models is told when one gets another name. */
type Hear = (from: string, to: string) => void;

const hearing: Hear[] = [];

export const onRenamed = (hear: Hear): void => void hearing.push(hear);

export function tellRenamed(from: string, to: string): void {
  for (const hear of hearing) hear(from, to);
}
