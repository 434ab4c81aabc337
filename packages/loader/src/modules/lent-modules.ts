// What a device gets that asks for a module of the program's, where a membrane lies between them. There is one instance of a file, and this one is
// inside: the device asks the program for it, which is an act of the outside and stands in the trace, and has stand-ins for what it exports. A
// run again, in which there is no device, evaluates the module in that act, as it was. Node finds a few lines in the module's place.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { evaluateNow, hasAsyncGraph, link, loadRequested, namespaceOf } from '@turntable/core';
import { SHELLS_KEY } from '../realm/hidden-globals.ts';
import type { ProgramModules } from './program-modules.ts';
import { exportNamesOf, type RequestKind } from './shells.ts';

type ProgramHosts = Pick<ProgramModules, 'esm' | 'commonJs'>;

/** No file stands there. */
const LENT_DIRECTORY = '/turntable/lent';

interface LentRequest {
  readonly url: string;
  readonly requestKind: RequestKind;
}

/** What the device is to have for the module, by the membrane. */
export type LendModule = (url: string, requestKind: RequestKind) => object;

export class LentModules {
  readonly #hosts: ProgramHosts;
  readonly #lendModule: LendModule;
  /** By the names under which Node has them. */
  readonly #requests = new Map<string, LentRequest>();
  readonly #urlByRequest = new Map<string, string>();
  readonly #hostViews = new Map<string, object>();

  constructor(hosts: ProgramHosts, lendModule: LendModule) {
    this.#hosts = hosts;
    this.#lendModule = lendModule;
  }

  /** In the place of a module's own, for a device. */
  urlFor(url: string, requestKind: RequestKind): string {
    const key = `${requestKind} ${url}`;
    let lentUrl = this.#urlByRequest.get(key);
    if (lentUrl === undefined) {
      lentUrl = pathToFileURL(
        `${LENT_DIRECTORY}/${this.#urlByRequest.size}.${requestKind === 'import' ? 'mjs' : 'cjs'}`,
      ).href;
      this.#urlByRequest.set(key, lentUrl);
      this.#requests.set(lentUrl, { url, requestKind });
    }
    return lentUrl;
  }

  /** For the load hook: what stands there. */
  sourceAt(lentUrl: string): string | undefined {
    const request = this.#requests.get(lentUrl);
    if (request === undefined) return undefined;
    const { url, requestKind } = request;
    const hostViewExpression = `globalThis[Symbol.for(${JSON.stringify(SHELLS_KEY.description)})].lend(${JSON.stringify(url)}, '${requestKind}')`;
    if (requestKind === 'require') return `module.exports = ${hostViewExpression};`;
    const names = exportNamesOf(this.#hosts.esm.recordOf(url));
    const lines = names.map((name, i) => `const $${i} = $[${JSON.stringify(name)}];`);
    const exportClauses = names.map((name, i) => `$${i} as ${JSON.stringify(name)}`);
    return [`const $ = ${hostViewExpression};`, ...lines, `export { ${exportClauses.join(', ')} };`].join(' ');
  }

  /** Once for each: it is the same to every device. */
  lend(url: string, requestKind: RequestKind): object {
    const key = `${requestKind} ${url}`;
    let hostView = this.#hostViews.get(key);
    if (hostView === undefined) this.#hostViews.set(key, (hostView = this.#lendModule(url, requestKind)));
    return hostView;
  }
}

/** Whether who imports it has to wait: such a module cannot be lent. */
export function hasAsyncEvaluation({ esm }: Pick<ProgramModules, 'esm'>, url: string): boolean {
  const record = esm.recordOf(url);
  loadRequested(record);
  return hasAsyncGraph(record);
}

/** The program's own side of it, which either run does: what the module exports. */
export function lentExports({ esm, commonJs }: ProgramHosts, url: string, requestKind: RequestKind): unknown {
  if (requestKind === 'require') return commonJs.exportsOf(fileURLToPath(url));
  const record = esm.recordOf(url);
  loadRequested(record);
  link(record);
  if (record.status !== 'evaluating') evaluateNow(record);
  return namespaceOf(record);
}
