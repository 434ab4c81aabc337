// What a device gets that asks for a module of the program's, where a membrane lies between them. There is one instance of a file, and this one is
// inside: the device asks the program for it, which is an act of the outside and stands in the trace, and has stand-ins for what it exports. A
// run again, in which there is no device, evaluates the module in that act, as it was. Node finds a few lines in the module's place.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { evaluateNow, hasAsyncGraph, link, loadRequested, namespaceOf, requireFile } from '@turntable/core';
import { SHELLS } from './hidden.ts';
import { exportsOf } from './shells.ts';
import type { Program } from './program.ts';

export type How = 'import' | 'require';

/** No file stands there. */
const DIRECTORY = '/turntable/lent';

interface Lent {
  readonly url: string;
  readonly how: How;
}

/** What the device is to have for the module, by the membrane. */
export type LendAcross = (url: string, how: How) => object;

export class Lending {
  readonly #program: Program;
  readonly #across: LendAcross;
  /** By the names under which Node has them. */
  readonly #lent = new Map<string, Lent>();
  readonly #urls = new Map<string, string>();
  readonly #outers = new Map<string, object>();

  constructor(program: Program, across: LendAcross) {
    this.#program = program;
    this.#across = across;
  }

  /** In the place of a module's own, for a device. */
  urlFor(url: string, how: How): string {
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
    const names = exportsOf(this.#program.recordOf(url));
    const lines = names.map((name, i) => `const $${i} = $[${JSON.stringify(name)}];`);
    const all = names.map((name, i) => `$${i} as ${JSON.stringify(name)}`);
    return [`const $ = ${outer};`, ...lines, `export { ${all.join(', ')} };`].join(' ');
  }

  /** Once for each: it is the same to every device. */
  lend(url: string, how: How): object {
    const key = `${how} ${url}`;
    let outer = this.#outers.get(key);
    if (outer === undefined) this.#outers.set(key, (outer = this.#across(url, how)));
    return outer;
  }
}

/** Whether who imports it has to wait: such a module cannot be lent. */
export function isAwaited(program: Program, url: string): boolean {
  const record = program.recordOf(url);
  loadRequested(record);
  return hasAsyncGraph(record);
}

/** The program's own side of it, which either run does: what the module exports. */
export function exportsLent(program: Program, url: string, how: How): unknown {
  if (how === 'require') return requireFile(program, fileURLToPath(url), undefined);
  const record = program.recordOf(url);
  loadRequested(record);
  link(record);
  if (record.status !== 'evaluating') evaluateNow(record);
  return namespaceOf(record);
}
