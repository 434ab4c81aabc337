// A stack frame with original names and positions, for a program's own `Error.prepareStackTrace`. It has the members of
// V8's CallSite, and `toString` returns the text that V8 would (SerializeCallSiteInfo in its sources).

/** Members of V8's CallSite that core uses. */
export interface CallSite {
  getTypeName(): string | null;
  getFunctionName(): string | null;
  getMethodName(): string | null;
  getFileName(): string | null | undefined;
  getLineNumber(): number | null;
  getColumnNumber(): number | null;
  getEvalOrigin(): string | undefined;
  isToplevel(): boolean;
  isEval(): boolean;
  isNative(): boolean;
  isConstructor(): boolean;
  isAsync(): boolean;
  toString(): string;
}

/** A CallSite with the members that only a program's formatter uses. */
interface WholeCallSite extends CallSite {
  getEnclosingLineNumber(): number | null;
  getEnclosingColumnNumber(): number | null;
  getFunction(): unknown;
  getPosition(): number;
  getScriptNameOrSourceURL(): string | null;
  getScriptHash(): string;
  getThis(): unknown;
}

export interface OriginalLocation {
  file: string;
  line: number;
  column: number;
  /** Offset in the file, in characters. */
  position?: number | undefined;
  /** Position at which the enclosing function starts. */
  enclosing?: (() => { line: number; column: number }) | undefined;
  /** Original name of the function: '' if it has none, undefined if V8's name is right. */
  name?: string | undefined;
  /** V8's name for the receiver of a suspended function; undefined if it has none, or if V8's name is right. */
  type?: string | undefined;
}

export interface CallSiteParts {
  readonly location?: OriginalLocation;
  /** The engine's frame; undefined for a suspended frame. */
  readonly site?: CallSite;
  /** Frame that has the receiver and the function: that of the wrapper, if the function can suspend. */
  readonly caller?: CallSite;
  readonly isAsync?: boolean;
  /** Combinator and index, if the frame is the entry of an element of `Promise.all` or a similar function. */
  readonly element?: { readonly combinator: string; readonly index: number };
  /** Name as `type.method`, for a function that is natively a builtin. */
  readonly builtin?: string;
}

class MappedCallSite {
  readonly #parts: CallSiteParts;

  constructor(parts: CallSiteParts) {
    this.#parts = parts;
  }

  get #callee(): WholeCallSite | undefined {
    return (this.#parts.caller ?? this.#parts.site) as WholeCallSite | undefined;
  }

  static is(value: unknown): value is MappedCallSite {
    return typeof value === 'object' && value !== null && #parts in value;
  }

  getColumnNumber(): number | null {
    return this.#parts.location?.column ?? null;
  }
  getEnclosingColumnNumber(): number | null {
    return this.#parts.location?.enclosing?.().column ?? this.getColumnNumber();
  }
  getEnclosingLineNumber(): number | null {
    return this.#parts.location?.enclosing?.().line ?? this.getLineNumber();
  }
  getEvalOrigin(): string | undefined {
    return this.#parts.site?.getEvalOrigin();
  }
  getFileName(): string | null | undefined {
    return this.#parts.location?.file;
  }
  getFunction(): unknown {
    return this.#callee?.getFunction();
  }
  getFunctionName(): string | null {
    const { element, builtin, location, caller, site } = this.#parts;
    if (element !== undefined) return element.combinator;
    if (builtin !== undefined) return builtin.slice(builtin.indexOf('.') + 1);
    const name = caller?.getFunctionName() ?? location?.name ?? site?.getFunctionName();
    return name === undefined || name === '' ? null : name;
  }
  getLineNumber(): number | null {
    return this.#parts.location?.line ?? null;
  }
  getMethodName(): string | null {
    const { element, caller, site, location } = this.#parts;
    if (element !== undefined) return element.combinator;
    if (caller !== undefined) return caller.getMethodName();
    if (location?.name === undefined) return site?.getMethodName() ?? null;
    return location.type === undefined || location.name === '' ? null : location.name;
  }
  getPosition(): number {
    return this.#parts.location?.position ?? this.#parts.element?.index ?? 0;
  }
  getPromiseIndex(): number | null {
    return this.#parts.element?.index ?? null;
  }
  getScriptNameOrSourceURL(): string | null {
    return this.#parts.location?.file ?? null;
  }
  getScriptHash(): string {
    return (this.#parts.site as WholeCallSite | undefined)?.getScriptHash() ?? '';
  }
  getThis(): unknown {
    return this.#callee?.getThis();
  }
  getTypeName(): string | null {
    const { element, builtin, caller, site, location } = this.#parts;
    if (element !== undefined) return 'Promise';
    if (builtin !== undefined) return builtin.slice(0, builtin.indexOf('.'));
    if (caller !== undefined) return caller.getTypeName();
    if (location?.name === undefined) return site?.getTypeName() ?? null;
    return location.type ?? null;
  }
  isAsync(): boolean {
    return this.#parts.isAsync ?? this.#parts.site?.isAsync() ?? false;
  }
  isConstructor(): boolean {
    return this.#callee?.isConstructor() ?? false;
  }
  isEval(): boolean {
    return this.#callee?.isEval() ?? false;
  }
  isNative(): boolean {
    return this.#callee?.isNative() ?? false;
  }
  isPromiseAll(): boolean {
    return this.#parts.element?.combinator === 'all';
  }
  isToplevel(): boolean {
    const { element, builtin, caller, site, location } = this.#parts;
    if (builtin !== undefined || element !== undefined) return false;
    if (caller !== undefined) return caller.isToplevel();
    if (location?.name === undefined) return site?.isToplevel() ?? true;
    return location.type === undefined;
  }
  toString(): string {
    const { location, element } = this.#parts;
    const prefix = this.isAsync() ? 'async ' : '';
    if (element !== undefined) return `${prefix}Promise.${element.combinator} (index ${element.index})`;
    const locationText =
      location === undefined ? '<anonymous>' : `${location.file}:${location.line}:${location.column}`;
    const name = callSiteName(this as unknown as CallSite);
    return name === '' ? prefix + locationText : `${prefix}${name} (${locationText})`;
  }
}
Object.defineProperty(MappedCallSite, 'name', { value: 'CallSite' });

export function createMappedCallSite(parts: CallSiteParts): CallSite {
  return new MappedCallSite(parts) as unknown as CallSite;
}

export function isMapped(site: CallSite): boolean {
  return MappedCallSite.is(site);
}

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;

/** The part that V8 prints before the location: `new C`, `Object.method [as alias]`. */
export function callSiteName(site: CallSite): string {
  const name = site.getFunctionName() ?? '';
  if (site.isConstructor()) return `new ${name === '' ? '<anonymous>' : name}`;
  const type = site.isToplevel() || site.isNative() ? null : site.getTypeName();
  if (type === null || type === '') return name;
  const method = site.getMethodName();
  if (name === '') return `${type}.${method === null || method === '' ? '<anonymous>' : method}`;
  const qualified = IDENTIFIER.test(name) ? `${type}.${name}` : name;
  const isSameName =
    method === null || method === '' || name === method || name.endsWith(`.${method}`) || name.endsWith(` ${method}`);
  return isSameName ? qualified : `${qualified} [as ${method}]`;
}
