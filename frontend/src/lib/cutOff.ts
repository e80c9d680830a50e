/** Pictures whose end is missing. Browsers decode what is there, and leave the rest empty or grey. */

const ascii = (bytes: Uint8Array, at: number, length: number) =>
  String.fromCharCode(...bytes.subarray(at, at + length));

/** Whether the file of a PNG, a JPEG or a WebP ends too early. Other files are judged by who decodes them. */
export function isCutOff(bytes: Uint8Array): boolean {
  if (ascii(bytes, 1, 3) === "PNG") return !pngEnds(bytes);
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return !jpegEnds(bytes);
  if (ascii(bytes, 0, 4) === "RIFF" && ascii(bytes, 8, 4) === "WEBP")
    return bytes.length < 8 + viewOf(bytes).getUint32(4, true);
  return false;
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** A PNG is a row of chunks: length, name, data, checksum. The last is IEND. */
function pngEnds(bytes: Uint8Array): boolean {
  const view = viewOf(bytes);
  for (let at = 8; at + 12 <= bytes.length; at += 12 + view.getUint32(at))
    if (ascii(bytes, at + 4, 4) === "IEND") return true;
  return false;
}

/** A JPEG is a row of segments with their lengths; behind the head of the first scan come its data, and somewhere the end, ff d9. */
function jpegEnds(bytes: Uint8Array): boolean {
  const view = viewOf(bytes);
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at + 1] !== 0xda) at += 2 + view.getUint16(at + 2);
  for (; at + 1 < bytes.length; at++) if (bytes[at] === 0xff && bytes[at + 1] === 0xd9) return true;
  return false;
}
