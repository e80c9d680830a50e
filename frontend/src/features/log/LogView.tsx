import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { ScrollText } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { clients } from "../../api/client";
import type { FileProblems, LogLine } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { clock } from "../../lib/format";
import { Bar } from "../../ui/Bar";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";
import { MiddleTruncate } from "../../ui/MiddleTruncate";
import { Segmented } from "../../ui/Segmented";
import { TextField } from "../../ui/TextField";
import { revealInConfig } from "../../window/place";
import { CodeText } from "../../workspace/CodeText";
import { ErrorBox } from "../../workspace/ErrorBox";
import { findingFor, useFindings } from "../../workspace/findings";
import { useWorkspace } from "../../workspace/workspace";
import css from "./log.module.css";
import { plain, wordsOf } from "./words";

type Level = "all" | "warning" | "error";

const LIMIT = 2000;
const POLL_MS = 1000;
const NONE: LogLine[] = [];

const isError = (line: LogLine) => line.level.toLowerCase().startsWith("err");
const isWarning = (line: LogLine) => line.level.toLowerCase().startsWith("warn");

function passes(line: LogLine, level: Level, text: string): boolean {
  if (level === "error" && !isError(line)) return false;
  if (level === "warning" && !isError(line) && !isWarning(line)) return false;
  return text === "" || line.text.toLowerCase().includes(text) || line.model.toLowerCase().includes(text);
}

/** An error that a file has the cause of leads to its line. */
function ToLine({ line, files }: { line: LogLine; files: readonly FileProblems[] }) {
  const finding = useMemo(
    () => (isError(line) ? findingFor(files, line.model, line.text) : undefined),
    [line, files],
  );
  if (!finding) return null;
  const { model, path, line: number } = finding;
  return (
    <button
      type="button"
      className={css.toLine}
      title={finding.message}
      onClick={() => revealInConfig(model, finding)}
    >
      {path}, line {number}
    </button>
  );
}

interface LineProps {
  line: LogLine;
  withModel: boolean;
  files: readonly FileProblems[];
}

export function Line({ line, withModel, files }: LineProps) {
  const { message, facts } = useMemo(() => wordsOf(line.text, line.model), [line]);
  return (
    <div className={cx(css.line, isError(line) && css.err, isWarning(line) && css.warn)}>
      <time>{clock(line.time)}</time>
      <span className={css.level}>{line.level.toLowerCase()}</span>
      {withModel && (
        <span className={css.model}>
          <MiddleTruncate text={line.model} />
        </span>
      )}
      <span className={css.message}>
        <CodeText text={message} />
        {facts.length > 0 && <span className={css.facts}> {facts.join(" · ")}</span>}
        <ToLine line={line} files={files} />
      </span>
    </div>
  );
}

/** Long lists are virtual; the end is kept in view while the reader is there. */
function Lines({ lines, withModel }: { lines: LogLine[]; withModel: boolean }) {
  const files = useFindings(lines.some(isError));
  const scroller = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 21,
    overscan: 20,
  });
  const scrollTo = virtual.scrollToIndex;
  useEffect(() => {
    if (atEnd.current && lines.length > 0) scrollTo(lines.length - 1, { align: "end" });
  }, [lines, scrollTo]);
  const onScroll = () => {
    const element = scroller.current;
    if (element) atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 40;
  };
  return (
    <div
      ref={scroller}
      className={css.lines}
      onScroll={onScroll}
      role="log"
      aria-label="Log lines"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys scroll it, which needs the focus
      tabIndex={0}
    >
      <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {virtual.getVirtualItems().map((item) => {
          const line = lines[item.index];
          return (
            line && (
              <div
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                className={css.slot}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <Line line={line} withModel={withModel} files={files} />
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}

/** The engine's newest log lines, of one model or ("") of all. */
export function LogView({ model }: { model: string }) {
  const [level, setLevel] = useState<Level>("all");
  const [text, setText] = useState("");
  const live = useWorkspace((state) => state.connection === "live");
  const { data, error, refetch } = useQuery({
    queryKey: ["log", model],
    queryFn: ({ signal }) => clients.workspace.listLog({ model, limit: LIMIT }, { signal }),
    refetchInterval: live ? POLL_MS : false,
  });
  const all = data?.lines ?? NONE;
  const wanted = text.trim().toLowerCase();
  const lines = useMemo(() => all.filter((line) => passes(line, level, wanted)), [all, level, wanted]);
  const copy = () =>
    void navigator.clipboard?.writeText(
      lines.map((line) => `${clock(line.time)} ${line.level} ${plain(line.text, line.model)}`).join("\n"),
    );
  return (
    <section className={css.view} aria-label="Log">
      <Bar
        actions={
          <Button small look="ghost" onClick={copy} disabled={lines.length === 0}>
            Copy
          </Button>
        }
      >
        <Segmented
          label="Level"
          value={level}
          onChange={setLevel}
          options={[
            { value: "all", label: "All" },
            { value: "warning", label: "Warnings" },
            { value: "error", label: "Errors" },
          ]}
        />
        <TextField
          className={css.filter}
          aria-label="Filter the log"
          placeholder="Filter"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </Bar>
      {error && !data && (
        <div className={css.error}>
          <ErrorBox title="The log could not be read" error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {data && lines.length === 0 ? (
        <Empty icon={<ScrollText />} title={all.length === 0 ? "Nothing logged yet" : "No line matches"}>
          {all.length === 0 && "The engine's messages about loading and requests appear here."}
        </Empty>
      ) : (
        <Lines lines={lines} withModel={model === ""} />
      )}
    </section>
  );
}
