/** What the name of a model may be, wherever one is typed. */
import { Button } from "../ui/Button";
import { Named } from "../ui/Named";

/** What a folder can be called and still be asked for in a URL. */
export function nameProblem(name: string): string | undefined {
  if (name === "") return undefined;
  if (/[\\/\s]/.test(name))
    return "A name has no spaces and no slashes: it is the folder's name and part of every URL";
  if (name.startsWith(".")) return "A name that begins with a dot is ignored by the repository scan";
  return undefined;
}

/** Triton does not decode a path, and clients escape all but these characters in it. */
const escaped = /[^\w.~-]+/g;

interface OverHTTPProps {
  readonly className: string | undefined;
  readonly name: string;
  readonly onChoose: (name: string) => void;
}

/** Says of a name that HTTP clients cannot ask for it, and offers one that they can. */
export function OverHTTP({ className, name, onChoose }: OverHTTPProps) {
  const plain = name.replace(escaped, "_").replace(/^[_.]+|_+$/g, "") || "my_model";
  if (name.search(escaped) < 0) return null;
  return (
    <p className={className} role="note">
      Only gRPC clients reach this name: over HTTP it is escaped in the path, which Triton does not decode.{" "}
      <Button small onClick={() => onChoose(plain)}>
        <Named text={`Use ${plain}`} names={[plain]} />
      </Button>
    </p>
  );
}
