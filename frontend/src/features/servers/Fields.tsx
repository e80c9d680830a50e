import { Plus, X } from "lucide-react";
import { type ReactNode, useId } from "react";
import { Button } from "../../ui/Button";
import { TextField } from "../../ui/TextField";
import { isSecure, type ServerForm } from "./form";
import css from "./servers.module.css";

type Text = "name" | "address" | "metrics" | "caFile" | "certFile" | "keyFile";

interface FieldsProps {
  form: ServerForm;
  /** Where values of headers are kept, in words. */
  secrets: string;
  onChange: (form: ServerForm) => void;
}

export function Fields({ form, secrets, onChange }: FieldsProps) {
  const text = (key: Text, label: string, placeholder: string, note?: ReactNode) => (
    <Field label={label} note={note}>
      {(id) => (
        <TextField
          id={id}
          autoFocus={key === "name"}
          value={form[key]}
          placeholder={placeholder}
          onChange={(event) => onChange({ ...form, [key]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <div className={css.fields}>
      {text("name", "Name", "staging")}
      {text(
        "address",
        "Address",
        "grpc://triton.example:8001",
        "grpc:// or http://, with TLS grpcs:// or https://. Without a port it is Triton's usual one, for https 443.",
      )}
      {text(
        "metrics",
        "Metrics",
        "host:8002",
        'Empty for port 8002 of the same host; "none" for no metrics.',
      )}
      {isSecure(form) && (
        <>
          {text("caFile", "CA file", "the system's certificates", "PEM, on this machine.")}
          {text("certFile", "Client certificate", "none", "PEM, on this machine.")}
          {text("keyFile", "Its key", "none")}
        </>
      )}
      <Headers form={form} secrets={secrets} onChange={onChange} />
    </div>
  );
}

function Field({
  label,
  note,
  children,
}: {
  label: string;
  note?: ReactNode;
  children: (id: string) => ReactNode;
}) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <div>
        {children(id)}
        {note && <p className={css.note}>{note}</p>}
      </div>
    </>
  );
}

function Headers({ form, secrets, onChange }: FieldsProps) {
  const set = (place: number, change: Partial<ServerForm["headers"][number]>) =>
    onChange({ ...form, headers: form.headers.map((one, i) => (i === place ? { ...one, ...change } : one)) });
  return (
    <>
      <span>Headers</span>
      <div>
        {form.headers.map((header, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other name while it is typed
          <div key={place} className={css.header}>
            <TextField
              aria-label={`Name of header ${place + 1}`}
              placeholder="authorization"
              value={header.name}
              onChange={(event) => set(place, { name: event.target.value })}
            />
            <TextField
              aria-label={`Value of header ${place + 1}`}
              type="password"
              placeholder={header.kept ? "as it is kept" : "Bearer …"}
              value={header.value}
              onChange={(event) => set(place, { value: event.target.value })}
            />
            <Button
              small
              look="ghost"
              icon={<X />}
              aria-label={`Remove header ${place + 1}`}
              onClick={() => onChange({ ...form, headers: form.headers.filter((_, i) => i !== place) })}
            />
          </div>
        ))}
        <Button
          small
          icon={<Plus />}
          onClick={() =>
            onChange({ ...form, headers: [...form.headers, { name: "", value: "", kept: false }] })
          }
        >
          Add a header
        </Button>
        <p className={css.note}>Sent with each call, such as a bearer token. Values are kept in {secrets}.</p>
      </div>
    </>
  );
}
