import {
  closeSearchPanel,
  findNext,
  findPrevious,
  replaceAll,
  replaceNext,
  SearchQuery,
  setSearchQuery,
} from "@codemirror/search";
import { type EditorView, runScopeHandlers } from "@codemirror/view";
import { ArrowDown, ArrowUp, CaseSensitive, Regex, Search, WholeWord, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { cx } from "../../lib/cx";
import { Button } from "../../ui/Button";
import { TextField } from "../../ui/TextField";
import { keys, withKey } from "../../window/keys";
import { countMatches, firstMatch, inWords, type Matches, whyBad } from "./matches";
import css from "./search.module.css";

/** What the panel shows: the query, and what it finds in the text as it stands. */
export interface Shown {
  view: EditorView;
  query: SearchQuery;
  matches: Matches;
  readOnly: boolean;
}

type Change = Partial<Pick<SearchQuery, "search" | "replace" | "caseSensitive" | "regexp" | "wholeWord">>;

/** A query with a change. Plain text is found as it is typed: a backslash is a backslash. */
export function changed(query: SearchQuery, change: Change): SearchQuery {
  const { search, replace, caseSensitive, regexp, wholeWord } = { ...pick(query), ...change };
  return new SearchQuery({ search, replace, caseSensitive, regexp, wholeWord, literal: !regexp });
}

const pick = ({ search, replace, caseSensitive, regexp, wholeWord }: SearchQuery) => ({
  search,
  replace,
  caseSensitive,
  regexp,
  wholeWord,
});

/** Looks for something else, from where the selection begins: what is found is selected while it is typed. */
function look({ view, query }: Shown, change: Change): void {
  const next = changed(query, change);
  const { from } = view.state.selection.main;
  const match = firstMatch(view.state, next, from);
  view.dispatch({
    effects: setSearchQuery.of(next),
    selection: match ? { anchor: match.from, head: match.to } : { anchor: from },
    scrollIntoView: match !== undefined,
  });
}

function Toggle({ label, pressed, onPress, children }: ToggleProps) {
  return (
    <button
      type="button"
      className={css.toggle}
      aria-label={label}
      aria-pressed={pressed}
      title={label}
      onClick={onPress}
    >
      {children}
    </button>
  );
}

interface ToggleProps {
  label: string;
  pressed: boolean;
  onPress: () => void;
  children: ReactNode;
}

/** How the text is looked for. */
function Toggles(shown: Shown) {
  const { caseSensitive, wholeWord, regexp } = shown.query;
  return (
    <>
      <Toggle
        label="Match case"
        pressed={caseSensitive}
        onPress={() => look(shown, { caseSensitive: !caseSensitive })}
      >
        <CaseSensitive />
      </Toggle>
      <Toggle label="Whole words" pressed={wholeWord} onPress={() => look(shown, { wholeWord: !wholeWord })}>
        <WholeWord />
      </Toggle>
      <Toggle label="Regular expression" pressed={regexp} onPress={() => look(shown, { regexp: !regexp })}>
        <Regex />
      </Toggle>
    </>
  );
}

/** What is put in place of what was found. */
function Replace({ shown }: { shown: Shown }) {
  const { view, query, matches } = shown;
  const [replaced, setReplaced] = useState(0);
  const nothing = matches.total === 0;
  const all = () => {
    setReplaced(matches.total);
    replaceAll(view);
  };
  return (
    <div className={css.row}>
      <TextField
        className={css.field}
        aria-label="Replace with"
        placeholder="Replace with"
        value={query.replace}
        onChange={({ target }) =>
          view.dispatch({ effects: setSearchQuery.of(changed(query, { replace: target.value })) })
        }
        onKeyDown={(event) => onEnter(event, () => replaceNext(view))}
      />
      <Button small disabled={nothing} onClick={() => replaceNext(view)}>
        Replace
      </Button>
      <Button small disabled={nothing} onClick={all}>
        Replace all
      </Button>
      <span className="visually-hidden" role="status">
        {replaced > 0 && nothing ? `${replaced} replaced` : ""}
      </span>
    </div>
  );
}

function onEnter(event: KeyboardEvent, run: (back: boolean) => void): void {
  if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  run(event.shiftKey);
}

/** Finds and replaces in a text. A text that is only read has nothing to replace. */
export function SearchPanel(shown: Shown) {
  const { view, query, matches, readOnly } = shown;
  const id = useId();
  const bad = query.regexp && query.search !== "" ? whyBad(query.search) : undefined;
  const count = query.search === "" || bad !== undefined ? "" : inWords(matches);
  const step = (back: boolean) => (back ? findPrevious : findNext)(view);
  return (
    // The editor's own keys work in the panel, too.
    <search
      className={css.panel}
      aria-label="Search in the text"
      onKeyDown={({ nativeEvent }) => {
        if (!nativeEvent.defaultPrevented && runScopeHandlers(view, nativeEvent, "search-panel"))
          nativeEvent.preventDefault();
      }}
    >
      <div className={css.row}>
        <TextField
          className={css.field}
          icon={<Search />}
          aria-label="Find"
          placeholder="Find"
          main-field="true"
          value={query.search}
          invalid={bad !== undefined}
          aria-describedby={bad === undefined ? undefined : id}
          trailing={<Toggles {...shown} />}
          onChange={({ target }) => look(shown, { search: target.value })}
          onKeyDown={(event) => onEnter(event, step)}
        />
        <span className={cx(css.count, matches.total === 0 && css.none)} role="status">
          {count}
        </span>
        <Button
          small
          look="ghost"
          icon={<ArrowUp />}
          aria-label="Previous match"
          title={withKey("Previous match", keys.previousMatch)}
          disabled={matches.total === 0}
          onClick={() => step(true)}
        />
        <Button
          small
          look="ghost"
          icon={<ArrowDown />}
          aria-label="Next match"
          title={withKey("Next match", keys.nextMatch)}
          disabled={matches.total === 0}
          onClick={() => step(false)}
        />
        <Button
          small
          look="ghost"
          icon={<X />}
          aria-label="Close the search"
          title="Close the search (Esc)"
          onClick={() => closeSearchPanel(view)}
        />
      </div>
      {bad !== undefined && (
        <p id={id} className={css.bad} role="alert">
          This is no regular expression: {bad}
        </p>
      )}
      {!readOnly && <Replace shown={shown} />}
    </search>
  );
}

export const shownIn = (view: EditorView, query: SearchQuery): Shown => ({
  view,
  query,
  matches: countMatches(view.state, query),
  readOnly: view.state.readOnly,
});
