import type { ImageShape } from "./image";

/** Whether four channels are rather features, such as what a model made of a picture: one with alpha is of bytes as a rule. */
export const areFeatures = ({ channels }: ImageShape, datatype: string): boolean =>
  channels === 4 && datatype !== "UINT8";
