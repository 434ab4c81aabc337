// The code of a program's files: texts are read, transformed and compiled by the code loader; errors are shown as Node shows them.
import { pathToFileURL } from 'node:url';
import type { CodeLoader, LoadedCode } from '../code/code.ts';
import { isTypeScript, type FileFormat } from '../node/format.ts';
import type { CodeKind } from '../code/transformer-port.ts';
import { shownError } from '../source-maps/shown-error.ts';
import type { LoadEvents } from './load-events.ts';
import { syntaxError, warnOfTypelessPackage } from './load-errors.ts';

export class ProgramCode {
  readonly loader: CodeLoader;
  readonly #events: LoadEvents;
  /** Code of CommonJS files that was loaded to find out their format, until they run. */
  readonly #loadedAhead: Map<string, LoadedCode> = new Map();

  constructor(loader: CodeLoader, events: LoadEvents) {
    this.loader = loader;
    this.#events = events;
  }

  /** `format` undefined: the module system is detected by the syntax. */
  load(url: string, filename: string, source: string, format: FileFormat | undefined): LoadedCode {
    this.#events.callbacks?.source(source);
    const kind = format === undefined ? undefined : (format.format as CodeKind);
    const typescript = format?.typescript ?? isTypeScript(filename);
    try {
      const code = this.loader.load(filename, source, kind, typescript, (actual) =>
        actual === 'module' ? url : filename,
      );
      if (format === undefined && code.kind === 'module') warnOfTypelessPackage(url, filename);
      return code;
    } catch (error) {
      const shown = shownError(error, (path) => (path === filename && kind === 'module' ? url : path));
      throw typescript || (error as { code?: string }).code !== 'TT_SYNTAX'
        ? shown
        : syntaxError(filename, source, kind, shown);
    }
  }

  /** The module system of a file whose package does not name one. */
  kindOf(filename: string): CodeKind {
    const code = this.load(pathToFileURL(filename).href, filename, this.loader.read(filename), undefined);
    if (code.kind === 'commonjs') this.keepUntilRun(filename, code);
    return code.kind;
  }

  keepUntilRun(filename: string, code: LoadedCode): void {
    this.#loadedAhead.set(filename, code);
  }

  takeKept(filename: string): LoadedCode | undefined {
    const code = this.#loadedAhead.get(filename);
    this.#loadedAhead.delete(filename);
    return code;
  }
}
