// Access to `turntable`, the package that users install. That package depends on this one, so its entry points register
// it here.

export interface Facade {
  /** File that `--import turntable/register` loads. */
  readonly register: URL;
  /** Module that programs import. */
  readonly index: URL;
  load(): Promise<{ readonly exports: object; readonly app: object }>;
}

let facade: Facade | undefined;

export function setFacade(value: Facade): void {
  facade = value;
}

export function requireFacade(): Facade {
  if (facade === undefined) throw new Error('no entry point has called setFacade()');
  return facade;
}
