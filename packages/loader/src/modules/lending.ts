// What a device gets that asks for a module of the program's, where a membrane lies between them. There is one instance of a file, and this one is
// inside: the device asks the program for it, which is an act of the outside and stands in the trace, and has stand-ins for what it exports. A
// run again, in which there is no device, evaluates the module in that act, as it was. Node finds a few lines in the module's place.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { evaluateNow, hasAsyncGraph, link, loadRequested, namespaceOf } from '@turntable/core';
import { SHELLS } from '../realm/hidden.ts';
import type { ProgramModules } from './program-modules.ts';
import { exportsOf, type RequestKind } from './shells.ts';

type Hosts = Pick<ProgramModules, 'esm' | 'commonJs'>;

/** No file stands there. */
const DIRECTORY = '/turntable/lent';

interface Lent {
  readonly url: string;
  readonly how: RequestKind;
}

/** What the device is to have for the module, by the membrane. */
export type LendAcross = (url: string, how: RequestKind) => object;

export class Lending {
  readonly #hosts: Hosts;
  readonly #across: LendAcross;
  /** By the names under which Node has them. */
  readonly #lent = new Map<string, Lent>();
  readonly #urls = new Map<string, string>();
  readonly #outers = new Map<string, object>();

  constructor(hosts: Hosts, across: LendAcross) {
    this.#hosts = hosts;
    this.#across = across;
  }

  /** In the place of a module's own, for a device. */
  urlFor(url: string, how: RequestKind): string {
    const key = `${how} ${url}`;
    let own = this.#urls.get(key);
    if (own === undefined) {
      own = pathToFileURL(`${DIRECTORY}/${this.#urls.size}.${how === 'import' ? 'mjs' : 'cjs'}`).href;
      this.#urls.set(key, own);
      this.#lent.set(own, { url, how });
    }
    return own;
  }

  /** For the load hook: what stands there. */
  textAt(own: string): string | undefined {
    const lent = this.#lent.get(own);
    if (lent === undefined) return undefined;
    const { url, how } = lent;
    const outer = `globalThis[Symbol.for(${JSON.stringify(SHELLS.description)})].lend(${JSON.stringify(url)}, '${how}')`;
    if (how === 'require') return `module.exports = ${outer};`;
    const names = exportsOf(this.#hosts.esm.recordOf(url));
    const lines = names.map((name, i) => `const $${i} = $[${JSON.stringify(name)}];`);
    const all = names.map((name, i) => `$${i} as ${JSON.stringify(name)}`);
    return [`const $ = ${outer};`, ...lines, `export { ${all.join(', ')} };`].join(' ');
  }

  /** Once for each: it is the same to every device. */
  lend(url: string, how: RequestKind): object {
    const key = `${how} ${url}`;
    let outer = this.#outers.get(key);
    if (outer === undefined) this.#outers.set(key, (outer = this.#across(url, how)));
    return outer;
  }
}

/** Whether who imports it has to wait: such a module cannot be lent. */
export function isAwaited({ esm }: Pick<ProgramModules, 'esm'>, url: string): boolean {
  const record = esm.recordOf(url);
  loadRequested(record);
  return hasAsyncGraph(record);
}

/** The program's own side of it, which either run does: what the module exports. */
export function exportsLent({ esm, commonJs }: Hosts, url: string, how: RequestKind): unknown {
  if (how === 'require') return commonJs.exportsOf(fileURLToPath(url));
  const record = esm.recordOf(url);
  loadRequested(record);
  link(record);
  if (record.status !== 'evaluating') evaluateNow(record);
  return namespaceOf(record);
}
