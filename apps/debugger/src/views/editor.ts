// The read-only source editor, which is CodeMirror: current statement, values beside lines, breakpoints in the gutter.
// It is in a shadow root, because the page's security policy allows CodeMirror's style sheets only there.
import { javascript } from '@codemirror/lang-javascript';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { openSearchPanel, search, searchKeymap } from '@codemirror/search';
import {
  EditorState,
  RangeSet,
  StateEffect,
  StateField,
  type Extension,
  type Range,
  type Text,
} from '@codemirror/state';
import {
  Decoration,
  EditorView,
  GutterMarker,
  gutter,
  keymap,
  lineNumbers,
  WidgetType,
  type DecorationSet,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { LineValues } from '../model/inline-values.ts';

export interface EditorContent {
  /** The current statement; only its line if the end of the statement is unknown. */
  readonly highlight: HighlightRange | undefined;
  readonly values: readonly LineValues[];
  readonly breakpoints: readonly { readonly line: number; readonly condition?: string | undefined }[];
}

export interface HighlightRange {
  readonly line: number;
  readonly column?: number;
  readonly endLine?: number;
  readonly endColumn?: number;
}

class InlineValueWidget extends WidgetType {
  readonly #text: string;

  constructor(text: string) {
    super();
    this.#text = text;
  }

  override eq(other: InlineValueWidget): boolean {
    return other.#text === this.#text;
  }

  override toDOM(): HTMLElement {
    const element = document.createElement('span');
    element.className = 'cm-values';
    element.textContent = this.#text;
    return element;
  }
}

class BreakpointMarker extends GutterMarker {
  readonly #condition: string | undefined;

  constructor(condition?: string) {
    super();
    this.#condition = condition;
  }

  override eq(other: BreakpointMarker): boolean {
    return other.#condition === this.#condition;
  }

  override toDOM(): HTMLElement {
    const element = document.createElement('span');
    element.className = this.#condition === undefined ? 'cm-dot' : 'cm-dot cm-dot-if';
    element.title = this.#condition === undefined ? 'Breakpoint' : `Breakpoint if ${this.#condition}`;
    return element;
  }
}

interface EditorDecorations {
  readonly decorations: DecorationSet;
  readonly markers: RangeSet<GutterMarker>;
}

const showContent = StateEffect.define<EditorContent>();
const decorationField = StateField.define<EditorDecorations>({
  create: () => ({ decorations: Decoration.none, markers: RangeSet.empty }),
  update(value, { effects, state }) {
    for (const effect of effects) if (effect.is(showContent)) return buildDecorations(effect.value, state.doc);
    return value;
  },
  provide: (field) => EditorView.decorations.from(field, ({ decorations }) => decorations),
});

function buildDecorations({ highlight, values, breakpoints }: EditorContent, doc: Text): EditorDecorations {
  const ranges: Range<Decoration>[] = [];
  if (highlight !== undefined && highlight.line <= doc.lines) {
    ranges.push(Decoration.line({ class: 'cm-current' }).range(doc.line(highlight.line).from));
    const [from, to] = offsetsOf(highlight, doc);
    if (from < to) ranges.push(Decoration.mark({ class: 'cm-statement' }).range(from, to));
  }
  for (const { line, text: valueText } of values) {
    if (line > doc.lines) continue;
    ranges.push(Decoration.widget({ widget: new InlineValueWidget(valueText), side: 1 }).range(doc.line(line).to));
  }
  const markers = breakpoints.flatMap(({ line, condition }) =>
    line > doc.lines ? [] : [new BreakpointMarker(condition).range(doc.line(line).from)],
  );
  return { decorations: Decoration.set(ranges, true), markers: RangeSet.of(markers, true) };
}

function offsetsOf({ line, column, endLine, endColumn }: HighlightRange, doc: Text): readonly [number, number] {
  if (column === undefined || endLine === undefined || endColumn === undefined) return [0, 0];
  const at = (wantedLine: number, wantedColumn: number): number => {
    const { from, to } = doc.line(Math.min(wantedLine, doc.lines));
    return Math.min(to, from + wantedColumn - 1);
  };
  return [at(line, column), at(endLine, endColumn)];
}

const highlighting = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  { tag: [tags.comment], color: 'var(--quiet)', fontStyle: 'italic' },
  { tag: [tags.typeName, tags.className, tags.namespace], color: 'var(--code-type)' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: 'var(--code-function)' },
  { tag: [tags.propertyName], color: 'var(--code-property)' },
]);

const editorTheme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--ground)', fontSize: 'var(--code-size)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-gutters': { backgroundColor: 'var(--ground)', color: 'var(--faint)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 8px 0 4px', cursor: 'pointer' },
  '.cm-breakpoints': { width: '18px', cursor: 'pointer' },
  '.cm-dot': {
    display: 'block',
    width: '10px',
    height: '10px',
    margin: '5px 0 0 5px',
    borderRadius: '50%',
    background: 'var(--error)',
  },
  '.cm-dot-if': { borderRadius: '2px' },
  '.cm-current': { backgroundColor: 'var(--current)' },
  '.cm-statement': { backgroundColor: 'var(--current-statement)', borderRadius: '2px' },
  '.cm-values': {
    marginLeft: '24px',
    padding: '0 6px',
    borderRadius: '3px',
    color: 'var(--quiet)',
    backgroundColor: 'var(--raised)',
    whiteSpace: 'pre',
  },
  '.cm-content': { caretColor: 'var(--accent)' },
  '.cm-selectionBackground, ::selection': { backgroundColor: 'var(--selection)' },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--text)', borderColor: 'var(--line)' },
  '.cm-panel input, .cm-panel button': { font: 'inherit' },
  '.cm-searchMatch': { backgroundColor: 'var(--selection)' },
});

export interface EditorHandlers {
  /** Adds a breakpoint to a line, or removes the breakpoint that the line has. */
  toggleBreakpoint(line: number): void;
  /** Traces the last write of the expression at the caret. Line and column start at 1. */
  traceWrite(text: string, line: number, column: number): void;
}

export class SourceEditor {
  readonly #view: EditorView;
  readonly #extensions: Extension;
  #text = '';

  constructor(parent: Element, { toggleBreakpoint, traceWrite }: EditorHandlers) {
    const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' });
    const onGutterClick = (view: EditorView, { from }: { readonly from: number }): boolean => {
      toggleBreakpoint(view.state.doc.lineAt(from).number);
      return true;
    };
    const toggleAtCaret = (view: EditorView): boolean => {
      toggleBreakpoint(view.state.doc.lineAt(view.state.selection.main.head).number);
      return true;
    };
    const traceAtCaret = ({ state }: EditorView): boolean => {
      const { head } = state.selection.main;
      const { number, from } = state.doc.lineAt(head);
      traceWrite(state.doc.toString(), number, head - from + 1);
      return true;
    };
    this.#extensions = [
      gutter({
        class: 'cm-breakpoints',
        markers: (view) => view.state.field(decorationField).markers,
        initialSpacer: () => new BreakpointMarker(),
        domEventHandlers: { mousedown: onGutterClick },
      }),
      lineNumbers({ domEventHandlers: { mousedown: onGutterClick } }),
      decorationField,
      javascript({ typescript: true }),
      syntaxHighlighting(highlighting),
      search({ top: true }),
      keymap.of([
        { key: 'F9', run: toggleAtCaret },
        { key: 'y', run: traceAtCaret, stopPropagation: true },
        ...searchKeymap,
      ]),
      editorTheme,
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({
        'aria-label': 'Source',
        'aria-readonly': 'true',
        role: 'textbox',
        tabindex: '0',
      }),
    ];
    this.#view = new EditorView({ state: this.#createState(''), parent: root, root });
  }

  #createState(text: string): EditorState {
    return EditorState.create({ doc: text, extensions: this.#extensions });
  }

  show(text: string, content: EditorContent): void {
    if (text !== this.#text) {
      this.#text = text;
      this.#view.setState(this.#createState(text));
    }
    const effects: StateEffect<unknown>[] = [showContent.of(content)];
    const { doc } = this.#view.state;
    if (content.highlight !== undefined && content.highlight.line <= doc.lines) {
      const { from } = doc.line(content.highlight.line);
      effects.push(EditorView.scrollIntoView(from, { y: 'nearest', yMargin: 96 }));
    }
    this.#view.dispatch({ effects });
  }

  reveal(line: number): void {
    const { doc } = this.#view.state;
    if (line > doc.lines) return;
    this.#view.dispatch({ effects: EditorView.scrollIntoView(doc.line(line).from, { y: 'center' }) });
  }

  openSearch(): void {
    openSearchPanel(this.#view);
  }

  destroy(): void {
    this.#view.destroy();
  }
}
