import { bytes } from "../../lib/format";
import css from "./files.module.css";

interface AddedProps {
  files: readonly File[];
  /** What each of them will be called. */
  names: readonly string[];
  /** The folder that gets them, with a slash at its end; "" for the model's own. */
  into: string;
  sent: number | undefined;
  /** What people should know before they are sent. */
  hint: string;
}

/** The files that will be added, under their new paths, and how far that is. */
export function Added({ files, names, into, sent, hint }: AddedProps) {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const progress =
    sent === undefined || sent < size
      ? `${Math.floor((100 * (sent ?? 0)) / size)} % copied`
      : "All is copied, and put into its folder. Cancel stops that, and nothing is added.";
  return (
    <>
      <ul className={css.adding}>
        {files.map(({ name, size }, i) => (
          <li key={name}>
            <code>{into + names[i]}</code>{" "}
            <span className="dim">
              {bytes(size)}
              {names[i] !== name && (
                <>
                  , renamed from <code>{name}</code>: the backend looks for <code>{names[i]}</code>
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      <p className={css.hint}>{sent === undefined ? hint : progress}</p>
    </>
  );
}
