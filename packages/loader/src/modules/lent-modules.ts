// Modules of the program that a device beyond the membrane requests. A file has one instance, here on the program side.
// The trace records the request as an operation of the host, and the device gets host views of the exports. A replay
// has no device and evaluates the module at that operation. For the device, Node loads a short generated text under a
// URL in `LENT_DIRECTORY`.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { evaluateNow, hasAsyncGraph, link, loadRequested, namespaceOf } from '@turntable/core';
import { SHELLS_KEY } from '../realm/hidden-globals.ts';
import type { ProgramModules } from './program-modules.ts';
import { exportNamesOf, type RequestKind } from './shells.ts';

type ProgramHosts = Pick<ProgramModules, 'esm' | 'commonJs'>;

/** Virtual directory of the generated texts. */
const LENT_DIRECTORY = '/turntable/lent';

interface LentRequest {
  readonly url: string;
  readonly requestKind: RequestKind;
}

/** Returns the membrane's host view of a module's exports. */
export type LendModule = (url: string, requestKind: RequestKind) => object;

export class LentModules {
  readonly #hosts: ProgramHosts;
  readonly #lendModule: LendModule;
  /** Requested modules, by the URL of the generated text. */
  readonly #requests = new Map<string, LentRequest>();
  readonly #urlByRequest = new Map<string, string>();
  readonly #hostViews = new Map<string, object>();

  constructor(hosts: ProgramHosts, lendModule: LendModule) {
    this.#hosts = hosts;
    this.#lendModule = lendModule;
  }

  /** The URL to load for a device instead of `url`. */
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

  /** The generated text at a URL, for the load hook; undefined for other URLs. */
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

  /** The host view of a module. Every device gets the same one. */
  lend(url: string, requestKind: RequestKind): object {
    const key = `${requestKind} ${url}`;
    let hostView = this.#hostViews.get(key);
    if (hostView === undefined) this.#hostViews.set(key, (hostView = this.#lendModule(url, requestKind)));
    return hostView;
  }
}

/** Whether the evaluation of a module is asynchronous. Such a module cannot be lent. */
export function hasAsyncEvaluation({ esm }: Pick<ProgramModules, 'esm'>, url: string): boolean {
  const record = esm.recordOf(url);
  loadRequested(record);
  return hasAsyncGraph(record);
}

/** The exports of a lent module as the program sees them, while recording and during a replay. */
export function lentExports({ esm, commonJs }: ProgramHosts, url: string, requestKind: RequestKind): unknown {
  if (requestKind === 'require') return commonJs.exportsOf(fileURLToPath(url));
  const record = esm.recordOf(url);
  loadRequested(record);
  link(record);
  if (record.status !== 'evaluating') evaluateNow(record);
  return namespaceOf(record);
}
