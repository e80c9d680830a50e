import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { useStore } from "zustand";
import { clients } from "../../api/client";
import type { Diagnostic, Placeholder } from "../../api/conch_pb";
import { describeError } from "../../api/errors";
import { cx } from "../../lib/cx";
import { count } from "../../lib/format";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { TextField } from "../../ui/TextField";
import { toast } from "../../window/toasts";
import { SeverityIcon } from "../../workspace/SeverityIcon";
import type { FileId } from "./fileId";
import type { Session } from "./session";
import css from "./template.module.css";
import { writeFiles } from "./writeFiles";

type Values = Record<string, string>;

interface FieldProps {
  placeholder: Placeholder;
  value: string;
  onChange: (value: string) => void;
  first: boolean;
}

const SUGGESTED = 5;

/** Values that fit; with something typed, those that hold it. */
function Suggestions({ placeholder, value, onChange }: Omit<FieldProps, "first">) {
  const { suggestions, name } = placeholder;
  const fitting = suggestions.filter(
    (one) => one !== value && one.toLowerCase().includes(value.toLowerCase()),
  );
  if (suggestions.length === 0) return null;
  // The row stays when nothing fits any more: what is below it does not jump.
  const shown = suggestions.includes(value) ? [] : fitting;
  return (
    <span className={css.suggestions}>
      {shown.slice(0, SUGGESTED).map((one) => (
        <button key={one} type="button" title={`Use ${one} for ${name}`} onClick={() => onChange(one)}>
          {one}
        </button>
      ))}
      {shown.length > SUGGESTED && <span className="dim">…</span>}
    </span>
  );
}

function Field({ placeholder, value, onChange, first }: FieldProps) {
  const { name, line, text, count: places, block } = placeholder;
  const id = useId();
  return (
    <div className={css.field}>
      <label className={css.name} htmlFor={id} title={name}>
        {name}
      </label>
      <TextField
        id={id}
        autoFocus={first}
        placeholder={block ? "nothing, or whole fields" : undefined}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <Suggestions placeholder={placeholder} value={value} onChange={onChange} />
      <span className={css.where} title={text}>
        line {line}
        {places > 1 && ` and ${count(places - 1, "other place")}`}: <code>{text}</code>
      </span>
    </div>
  );
}

/** A placeholder without a value stays; one for whole fields may be left empty on purpose. */
function given(placeholders: readonly Placeholder[], values: Values): Values {
  return Object.fromEntries(
    placeholders
      .map(({ name, fallback, block }) => ({ name, block, value: values[name] ?? fallback }))
      .filter(({ value, block }) => value !== "" || block)
      .map(({ name, value }) => [name, value]),
  );
}

function useFilled(session: Session, text: string, values: Values) {
  const { file } = session;
  return useQuery({
    queryKey: ["template", file.model, file.path, text, values],
    queryFn: ({ signal }) => clients.editor.fillTemplate({ ...file, text, values }, { signal }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
}

const SHOWN = 6;

/** What Triton would say to the text as it is filled in now. */
function Verdict({ diagnostics, stale }: { diagnostics: readonly Diagnostic[]; stale: boolean }) {
  const told = diagnostics.filter(({ code }) => !code.startsWith("TPL"));
  if (told.length === 0) return <p className={css.fine}>Nothing is wrong with what is filled in.</p>;
  return (
    <ul className={cx(css.problems, stale && css.stale)} aria-label="Problems of the filled-in config">
      {told.slice(0, SHOWN).map((found) => (
        <li key={`${found.code} ${found.from} ${found.message}`}>
          <SeverityIcon severity={found.severity} />
          <span>
            line {found.line}: {found.message}
          </span>
        </li>
      ))}
      {told.length > SHOWN && <li className={css.fine}>{told.length - SHOWN} more</li>}
    </ul>
  );
}

/** Writes a file that is not there yet; answers why not, or nothing. */
async function writeNew({ model, path }: FileId, text: string): Promise<string> {
  const answer = await writeFiles([{ model, path, text, version: "" }]);
  if (answer.ok) toast({ level: "info", text: `${model}/${path} was written`, names: [`${model}/${path}`] });
  else if (answer.changed) return `There is a file ${path} already; choose another name`;
  return answer.ok ? "" : answer.why;
}

function TemplateForm({ session }: { session: Session }) {
  // The form is about the text as it was when it was opened.
  const [{ placeholders, text }] = useState(() => ({
    placeholders: session.store.getState().placeholders,
    text: session.text(),
  }));
  const [values, setValues] = useState<Values>({});
  const { file } = session;
  const [path, setPath] = useState(file.path);
  const [failed, setFailed] = useState("");
  const targetId = useId();
  const used = given(placeholders, values);
  const { data, error, isFetching, isPlaceholderData } = useFilled(session, text, used);
  const left = placeholders.length - Object.keys(used).length;
  const ready = data !== undefined && !isPlaceholderData;
  const isNew = path !== file.path;
  const fill = async (event: FormEvent) => {
    event.preventDefault();
    if (!ready) return;
    const why = isNew ? await writeNew({ ...file, path }, data.text) : "";
    setFailed(why);
    if (why) return;
    session.close("dialog");
    if (isNew) return;
    session.replace(data.text);
    void session.save();
  };
  return (
    <form onSubmit={(event) => void fill(event)}>
      <div className={css.fields}>
        {placeholders.map((placeholder, index) => (
          <Field
            key={placeholder.name}
            placeholder={placeholder}
            first={index === 0}
            value={values[placeholder.name] ?? placeholder.fallback}
            onChange={(value) => setValues({ ...values, [placeholder.name]: value })}
          />
        ))}
      </div>
      <div className={css.verdict}>
        {error ? (
          <p role="alert">{describeError(error).message}</p>
        ) : (
          <Verdict diagnostics={data?.diagnostics ?? []} stale={isFetching} />
        )}
      </div>
      <label className={css.target} htmlFor={targetId}>
        <span>Write to</span>
        <TextField id={targetId} value={path} onChange={(event) => setPath(event.target.value)} />
        <span className="dim">{isNew ? "a new file; the template stays" : "the template itself"}</span>
      </label>
      <div className={css.foot}>
        <span className={failed ? css.failed : "dim"} role={failed ? "alert" : undefined}>
          {failed || (left > 0 ? `${count(left, "placeholder")} left` : "All are filled in")}
        </span>
        <Button onClick={() => session.close("dialog")}>Cancel</Button>
        <Button
          type="submit"
          needs="app"
          look="primary"
          disabled={!ready || path === "" || Object.keys(used).length === 0}
        >
          Fill in and save
        </Button>
      </div>
    </form>
  );
}

/** The placeholders of a template, to be filled in; the file is written with their values. */
export function TemplateDialog({ session }: { session: Session }) {
  const open = useStore(session.store, (state) => state.dialog?.kind === "template");
  if (!open) return null;
  return (
    <Dialog
      open
      wide
      title="Fill in the template"
      description="What is left empty stays a placeholder. Filling in can be undone."
      onClose={() => session.close("dialog")}
    >
      <TemplateForm session={session} />
    </Dialog>
  );
}
