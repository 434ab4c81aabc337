// Loads the code of a program's files with the code loader. Errors look like errors of Node.
import { pathToFileURL } from 'node:url';
import type { CodeLoader, LoadedCode } from '../code/code-loader.ts';
import { isTypeScript, type FileFormat } from '../node/file-format.ts';
import type { CodeKind } from '../code/transform-service.ts';
import { toUserError } from '../source-maps/user-error.ts';
import type { LoadEvents } from './load-events.ts';
import { syntaxError, warnOfTypelessPackage } from './load-errors.ts';

export class ProgramCode {
  readonly codeLoader: CodeLoader;
  readonly #loadEvents: LoadEvents;
  /** Code of CommonJS files that was loaded to detect their format. Kept until the files run. */
  readonly #loadedEarly: Map<string, LoadedCode> = new Map();

  constructor(codeLoader: CodeLoader, loadEvents: LoadEvents) {
    this.codeLoader = codeLoader;
    this.#loadEvents = loadEvents;
  }

  /** @param format undefined: detected from the syntax */
  load(url: string, filename: string, source: string, format: FileFormat | undefined): LoadedCode {
    this.#loadEvents.callbackWatcher?.onSource(source);
    const kind = format === undefined ? undefined : (format.format as CodeKind);
    const isTypeScriptFile = format?.isTypeScript ?? isTypeScript(filename);
    try {
      const code = this.codeLoader.load(filename, source, kind, (actualKind) =>
        actualKind === 'module' ? url : filename,
      );
      if (format === undefined && code.kind === 'module') warnOfTypelessPackage(url, filename);
      return code;
    } catch (error) {
      const userError = toUserError(error, (path) => (path === filename && kind === 'module' ? url : path));
      throw isTypeScriptFile || (error as { code?: string }).code !== 'TT_SYNTAX'
        ? userError
        : syntaxError(filename, source, kind, userError);
    }
  }

  /** The module system of a file whose package does not specify one. */
  kindOf(filename: string): CodeKind {
    const code = this.load(pathToFileURL(filename).href, filename, this.codeLoader.read(filename), undefined);
    if (code.kind === 'commonjs') this.keepUntilRun(filename, code);
    return code.kind;
  }

  keepUntilRun(filename: string, code: LoadedCode): void {
    this.#loadedEarly.set(filename, code);
  }

  takeLoadedEarly(filename: string): LoadedCode | undefined {
    const code = this.#loadedEarly.get(filename);
    this.#loadedEarly.delete(filename);
    return code;
  }
}
