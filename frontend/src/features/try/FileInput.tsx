/** A picture, a .npy file or raw bytes as the tensor. */
import { FileUp } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { describeConversion } from "../../lib/conversions";
import { bytes, middle, typeAndShape } from "../../lib/format";
import type { Conversion, Pixels } from "../../lib/image";
import { decodePicture } from "../../lib/image-decode";
import { readNpy } from "../../lib/npy";
import { conversionOf, type TensorFile } from "../../requests/tryDrafts";
import { Button } from "../../ui/Button";
import { ConversionForm, ConversionLink } from "./ConversionForm";
import type { InputProps } from "./inputProps";
import css from "./try.module.css";

/** Decodes by what the file is, not by what it is called, except for pictures. */
async function readTensorFile(file: File): Promise<TensorFile> {
  const about = { name: file.name, size: file.size };
  if (file.type.startsWith("image/")) return { ...about, kind: "picture", pixels: await decodePicture(file) };
  const raw = new Uint8Array(await file.arrayBuffer());
  if (raw[0] === 0x93 || file.name.endsWith(".npy")) return { ...about, kind: "npy", array: readNpy(raw) };
  return { ...about, kind: "raw", raw };
}

export function FileInput({ spec, draft, onChange }: InputProps) {
  const picker = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState("");
  const [over, setOver] = useState(false);
  const [converting, setConverting] = useState(false);
  const take = async (file: File | undefined) => {
    if (!file) return;
    try {
      onChange({ file: await readTensorFile(file) });
      setProblem("");
    } catch (error) {
      setProblem(`${file.name}: ${(error as Error).message}`);
    }
  };
  const conversion = draft.file?.kind === "picture" ? conversionOf(spec, draft) : undefined;
  return (
    <div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the button is the first */}
      <div
        className={css.fileBox}
        data-over={over}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void take(event.dataTransfer.files[0]);
        }}
      >
        <input
          ref={picker}
          type="file"
          className="visually-hidden"
          tabIndex={-1}
          aria-label={`File for ${spec.name}`}
          onChange={(event) => {
            void take(event.target.files?.[0]);
            event.target.value = "";
          }}
        />
        {draft.file ? <Chosen file={draft.file} conversion={conversion} /> : <Invitation />}
        <Button small icon={<FileUp />} onClick={() => picker.current?.click()}>
          {draft.file ? "Change" : "Choose file"}
        </Button>
      </div>
      {problem && (
        <p className={css.problem} role="alert">
          {problem}
        </p>
      )}
      {conversion && <ConversionLink open={converting} onToggle={setConverting} />}
      {conversion && converting && (
        <ConversionForm conversion={conversion} onChange={(next) => onChange({ conversion: next })} />
      )}
    </div>
  );
}

function Invitation() {
  return (
    <div className={css.fileText}>
      <div>A picture, a .npy file, or raw bytes</div>
      <div className="dim">Drop it here or choose it</div>
    </div>
  );
}

function Chosen({ file, conversion }: { file: TensorFile; conversion: Conversion | undefined }) {
  return (
    <>
      {file.kind === "picture" && <Thumb pixels={file.pixels} />}
      <div className={css.fileText}>
        <div title={file.name}>{middle(file.name, 28)}</div>
        <div className="dim">{factOf(file)}</div>
        {conversionLines(file, conversion).map((line) => (
          <div key={line} className="dim">
            {line}
          </div>
        ))}
      </div>
    </>
  );
}

function conversionLines(file: TensorFile, conversion: Conversion | undefined): string[] {
  if (file.kind !== "picture" || !conversion) return [];
  const { width, height } = file.pixels;
  return describeConversion(conversion, { text: "", width, height }).slice(1);
}

function factOf(file: TensorFile): string {
  if (file.kind === "picture") return `${file.pixels.width} × ${file.pixels.height}, ${bytes(file.size)}`;
  if (file.kind === "npy")
    return `${typeAndShape(file.array.datatype, file.array.shape)}, ${bytes(file.size)}`;
  return `${bytes(file.size)} of raw values, sent as they are`;
}

function Thumb({ pixels }: { pixels: Pixels }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context) return;
    const image = context.createImageData(pixels.width, pixels.height);
    image.data.set(pixels.data);
    context.putImageData(image, 0, 0);
  }, [pixels]);
  return (
    <canvas
      ref={canvas}
      className={css.thumb}
      width={pixels.width}
      height={pixels.height}
      role="img"
      aria-label="The chosen picture"
    />
  );
}
