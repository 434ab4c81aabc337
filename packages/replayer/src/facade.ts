// The package that users install. It depends on this package, so its entry points pass the URLs that this one needs.

export interface Facade {
  /** Target of `--import turntable/register`. */
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
