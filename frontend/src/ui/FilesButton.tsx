import { useRef } from "react";
import { Button, type ButtonProps } from "./Button";

interface FilesButtonProps extends Omit<ButtonProps, "onClick"> {
  /** What the files are, for those who hear it. */
  of: string;
  accept?: string;
  /** Only one can be chosen. */
  single?: boolean;
  /** Takes what was chosen: at least one file. */
  onFiles: (files: readonly File[]) => void;
}

/** A button that opens the system's dialog for files. The same file can be chosen again. */
export function FilesButton({ of, accept, single, onFiles, ...button }: FilesButtonProps) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button {...button} onClick={() => field.current?.click()} />
      <input
        ref={field}
        type="file"
        multiple={!single}
        hidden
        accept={accept}
        aria-label={of}
        onChange={({ target }) => {
          const files = [...(target.files ?? [])];
          target.value = "";
          if (files.length > 0) onFiles(files);
        }}
      />
    </>
  );
}
