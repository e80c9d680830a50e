/** Pictures that inputs are made of: beside their tensors for the history, and in the form again. */
import { create } from "@bufbuild/protobuf";
import {
  type GetModelResponse,
  type InferInput,
  type InferRequest,
  type Picture as KeptPicture,
  PictureSchema,
  PicturesSchema,
} from "../api/conch_pb";
import type { Conversion } from "../lib/image";
import { pictureAgain } from "../lib/picture";
import type { ModelTry } from "./tries";
import { type InputDraft, sentOf, slotsOf, type TensorFile } from "./tryDrafts";

/** The request with the pictures that the form made it of. Those that the history does not keep are told by name alone. */
export async function withPictures(
  model: GetModelResponse,
  entered: ModelTry,
  request: InferRequest,
): Promise<InferRequest> {
  if (entered.mode === "json") return request;
  const slots = slotsOf(model.inputs, model.maxBatchSize, entered.batch);
  const drafts = new Map(sentOf(slots, entered.inputs).map(([{ spec }, draft]) => [spec.name, draft]));
  let room = model.mostPictureBytes;
  const inputs: InferInput[] = [];
  for (const input of request.inputs) {
    const draft = drafts.get(input.name);
    const list = draft ? await listOf(draft, room) : [];
    room -= list.reduce((sum, { content }) => sum + content.length, 0);
    const conversion = draft?.conversion && JSON.stringify(draft.conversion);
    const pictures = create(PicturesSchema, { list, conversion, repeat: draft?.repeat });
    inputs.push(list.length > 0 ? { ...input, pictures } : input);
  }
  return { ...request, inputs };
}

/**
 * The drawing or the pictures of a draft; none where something else is among them. They come back together, so all have their
 * content or, where there is no room for all, none.
 */
async function listOf(draft: InputDraft, room: number): Promise<KeptPicture[]> {
  const { source, drawing, files = [] } = draft;
  if (source === "draw" && drawing) {
    const { width, height, ink } = drawing;
    const content = ink.length <= room ? ink : undefined;
    return [create(PictureSchema, { width, height, content, size: BigInt(ink.length) })];
  }
  if (source !== "file") return [];
  const fit = files.reduce((sum, { size }) => sum + size, 0) <= room;
  const list = await Promise.all(files.map((file) => kept(file, fit)));
  return list.every((picture) => picture !== undefined) ? list : [];
}

async function kept(file: TensorFile, whole: boolean): Promise<KeptPicture | undefined> {
  const about = { name: file.name, size: BigInt(file.size) };
  if (file.kind === "element" && file.media)
    return create(PictureSchema, {
      ...about,
      mediaType: file.media,
      element: true,
      content: whole ? file.raw : undefined,
    });
  if (file.kind !== "picture" || !file.picture.file) return undefined;
  const { own, read, transparent, file: blob } = file.picture;
  return create(PictureSchema, {
    ...about,
    mediaType: blob.type,
    content: whole ? new Uint8Array(await blob.arrayBuffer()) : undefined,
    ...own,
    readWidth: read.width,
    readHeight: read.height,
    transparent,
  });
}

type Again = Pick<InputDraft, "source"> & Partial<InputDraft>;

/** What an input of an earlier request was made of, in the form again; undefined where that is not kept. */
export function picturesAgain({ pictures }: InferInput): Again | undefined {
  const { list = [], conversion = "", repeat } = pictures ?? {};
  const [first] = list;
  if (!first || list.some(({ content }) => content.length === 0)) return undefined;
  const how = { conversion: conversionFrom(conversion), ...(repeat && { repeat }) };
  if (first.name !== "") return { source: "file", files: list.map(fileAgain), ...how };
  const { width, height, content } = first;
  if (content.length !== width * height) return undefined;
  return { source: "draw", drawing: { width, height, ink: new Uint8Array(content) }, ...how };
}

function fileAgain(kept: KeptPicture): TensorFile {
  const { name, mediaType, element, transparent } = kept;
  const raw = new Uint8Array(kept.content);
  const about = { name, size: raw.length };
  if (element) return { ...about, kind: "element", raw, media: mediaType };
  const own = { width: kept.width, height: kept.height };
  const read = { width: kept.readWidth, height: kept.readHeight };
  const picture = pictureAgain(new Blob([raw], { type: mediaType }), { own, read, transparent });
  return { ...about, kind: "picture", picture };
}

/** The names of the pictures that an input was made of; "" for none, and for a drawing. */
export const pictureNames = ({ pictures }: InferInput): string =>
  (pictures?.list ?? []).map(({ name }) => name).join(", ");

/** A conversion that the history has; undefined where it is none of this version. */
function conversionFrom(text: string): Conversion | undefined {
  try {
    const value = JSON.parse(text) as Partial<Conversion>;
    const numbers = [value.width, value.height, value.bars, value.scale];
    const lists = [value.mean, value.std];
    const is =
      numbers.every(Number.isFinite) &&
      lists.every((list) => list?.length === value.channels && list?.every(Number.isFinite)) &&
      ["letterbox", "fill", "stretch"].includes(value.fit ?? "") &&
      ["HWC", "CHW"].includes(value.layout ?? "") &&
      typeof value.invert === "boolean";
    return is ? (value as Conversion) : undefined;
  } catch {
    return undefined;
  }
}
