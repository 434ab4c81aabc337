// The package that users install, as this one needs it. It depends on this package, so its entry points hand it over.

export interface Facade {
  /** What `--import turntable/register` leads to. */
  readonly register: URL;
  /** The module that programs import. */
  readonly index: URL;
  load(): Promise<{ readonly exports: object; readonly app: object }>;
}

let facade: Facade | undefined;

export function setFacade(value: Facade): void {
  facade = value;
}

export function requireFacade(): Facade {
  if (facade === undefined) throw new Error('no entry point has called useFacade()');
  return facade;
}
