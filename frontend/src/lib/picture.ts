/** Pictures that were chosen or drawn. What a model gets of one is made where it does not hold up the page. */
import { isCutOff } from "./cutOff";
import { Helper } from "./helper";
import type { Conversion, Pixels, Size } from "./image";
import { decodePicture } from "./image-decode";
import {
  type Answer,
  type Converted,
  convertedOf,
  createWork,
  decodeAlone,
  type Question,
  undecoded,
} from "./pictureWork";

export type Picture = {
  readonly own: Size;
  readonly read: Size; // of its pixels: smaller where the file's are too many
  readonly transparent?: boolean; // in parts
  readonly file?: Blob; // as it was chosen; a drawing has none
  /** What a model gets of it. Fails with a sentence where its values do not fit the type. */
  readonly converted: (conversion: Conversion, datatype: string) => Promise<Converted>;
};

const worker = () => new Worker(new URL("./picture.worker.ts", import.meta.url), { type: "module" });
const helper = new Helper<Question, Answer>(worker, createWork(decodeAlone));
let opened = 0;

/** Opens PNG, JPEG, WebP, GIF, BMP: whatever this browser can show. */
export async function openPicture(file: Blob): Promise<Picture> {
  // The file may change on disk later; what was chosen stays.
  const bytes = await file.arrayBuffer();
  if (isCutOff(new Uint8Array(bytes)))
    throw new Error("This picture is cut off: the end of the file is missing. Copy it again");
  const kept = new Blob([bytes], { type: file.type });
  const picture = ++opened;
  const { own, read, transparent } = await ask({ picture, file: kept });
  return fromFile(kept, { own, read, transparent }, picture);
}

/** A picture that was opened before, when its sizes were told. It is decoded when its values are asked for. */
export const pictureAgain = (file: Blob, sizes: Sizes): Picture => fromFile(file, sizes, ++opened);

type Sizes = Pick<Picture, "own" | "read" | "transparent">;

function fromFile(file: Blob, sizes: Sizes, picture: number): Picture {
  const converted = remembered(async (conversion, datatype) => {
    const answer = await ask({ picture, file, wanted: { conversion, datatype } });
    return answer.converted as Converted;
  });
  return { ...sizes, file, converted };
}

async function ask(question: Question): Promise<Answer> {
  try {
    return await helper.ask(question);
  } catch (error) {
    if ((error as Error).message !== undecoded) throw error;
    return helper.ask({ ...question, decoded: await decodePicture(question.file) });
  }
}

/** A picture whose pixels are in the page, such as a drawing. */
export function pictureOf(pixels: Pixels): Picture {
  const size = { width: pixels.width, height: pixels.height };
  const converted = remembered(async (conversion, datatype) => convertedOf(pixels, conversion, datatype));
  return { own: size, read: size, converted };
}

/** The form asks for a conversion more often than it changes. */
function remembered(make: Picture["converted"]): Picture["converted"] {
  let last: { key: string; made: Promise<Converted> } | undefined;
  return (conversion, datatype) => {
    const key = datatype + JSON.stringify(conversion);
    if (last?.key !== key) last = { key, made: make(conversion, datatype) };
    return last.made;
  };
}
