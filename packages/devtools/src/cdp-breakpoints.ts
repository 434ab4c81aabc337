// The breakpoints of one client: lines, exceptions, event kinds and log points. The server's breakpoints are shared:
// every client pauses at each of them. A client removes only the breakpoints that it set, at the latest when it
// disconnects.
import type { ParamsOf } from '@turntable/time-machine/protocol';
import { DevtoolsError } from './devtools-error.ts';
import type { CdpSessionContext } from './cdp-session-context.ts';
import { parseLogPoint, CdpLogPoints } from './cdp-log-points.ts';
import type { RemoteObjects } from './remote-objects.ts';
import { isAtOrAfter, type Location, type BreakLocation, type Script } from './scripts.ts';

type BreakParams = ParamsOf<'addBreakpoint'>;

interface ResolvedLocation {
  readonly script: Script;
  readonly location: BreakLocation;
}

interface OwnBreakpoint {
  readonly requests: readonly BreakParams[];
  readonly locations: readonly ResolvedLocation[];
  /** The server's ids; empty for log points, and while breakpoints are inactive. */
  serverIds: readonly number[];
  readonly stop: () => void;
}

export interface LineBreakpointParams {
  readonly lineNumber: number;
  readonly columnNumber?: number | undefined;
  readonly condition?: string | undefined;
}

export type PauseOnExceptions = 'none' | 'caught' | 'uncaught' | 'all';

/** The server's event kinds to pause at, for each state of `Debugger.setPauseOnExceptions`. */
const ERROR_KINDS: Readonly<Record<PauseOnExceptions, readonly string[]>> = {
  none: [],
  caught: ['caught', 'rejection'],
  uncaught: ['uncaught'],
  all: ['exception'],
};
const EXCEPTIONS_ID = 'errors';

export class CdpBreakpoints {
  readonly #context: CdpSessionContext;
  readonly #logPoints: CdpLogPoints;
  readonly #byId = new Map<string, OwnBreakpoint>();
  #isActive = true;
  #lastId = 0;

  constructor(context: CdpSessionContext, objects: RemoteObjects) {
    this.#context = context;
    this.#logPoints = new CdpLogPoints(context, objects);
  }

  /**
   * Sets a line breakpoint or log point in each script. Returns the locations found.
   * @param id the breakpoint's id in CDP
   */
  async setLine(id: string, scripts: readonly Script[], params: LineBreakpointParams): Promise<Location[]> {
    if (this.#byId.has(id))
      throw new DevtoolsError('TT_CDP_NOT_THERE', 'Breakpoint at specified location already exists.');
    const locations: ResolvedLocation[] = [];
    for (const script of scripts) {
      const possible = await this.#context.scripts.breakLocationsOf(script, this.#context.client);
      const location = possible.find((each) => isAtOrAfter(params, each));
      if (location !== undefined) locations.push({ script, location });
    }
    const { log, condition } = parseLogPoint(params.condition);
    const requests = locations.map(({ script: { file = '' }, location: { lineNumber, columnNumber } }): BreakParams => {
      return { file: pathSuffix(file), line: lineNumber + 1, column: columnNumber + 1, condition };
    });
    // Log points are not set at the server as breakpoints, since nothing pauses at them.
    const stops =
      log === undefined
        ? []
        : locations.map(({ location }, i) => this.#logPoints.add(requests[i] ?? {}, log, location));
    await this.#add(id, {
      requests: log === undefined ? requests : [],
      locations,
      serverIds: [],
      stop: () => {
        for (const each of stops) each();
      },
    });
    return locations.map(({ location }) => location);
  }

  /** Sets a breakpoint on an event kind. Returns the breakpoint's id in CDP. */
  async setKind(params: BreakParams): Promise<string> {
    const id = `kind:${++this.#lastId}:${params.kind}`;
    await this.#add(id, { requests: [params], locations: [], serverIds: [], stop: () => {} });
    return id;
  }

  async setPauseOnExceptions(state: PauseOnExceptions): Promise<void> {
    await this.remove(EXCEPTIONS_ID);
    const knownKinds = this.#context.hello.breakpointKinds.map(({ id }) => id);
    const requests = ERROR_KINDS[state].filter((kind) => knownKinds.includes(kind)).map((kind) => ({ kind }));
    if (requests.length > 0) await this.#add(EXCEPTIONS_ID, { requests, locations: [], serverIds: [], stop: () => {} });
  }

  async setActive(isActive: boolean): Promise<void> {
    if (isActive === this.#isActive) return;
    this.#isActive = isActive;
    for (const breakpoint of this.#byId.values())
      await (isActive ? this.#activate(breakpoint) : this.#deactivate(breakpoint));
  }

  /** Sets all active breakpoints again, since the server lost them when it reopened the recording. */
  async reactivate(): Promise<void> {
    for (const breakpoint of this.#byId.values()) if (this.#isActive) await this.#activate(breakpoint);
  }

  async remove(id: string): Promise<void> {
    const breakpoint = this.#byId.get(id);
    if (breakpoint === undefined) return;
    this.#byId.delete(id);
    breakpoint.stop();
    await this.#deactivate(breakpoint);
  }

  async clear(): Promise<void> {
    for (const id of this.#byId.keys()) await this.remove(id);
  }

  /** Returns the client's breakpoints among `serverIds`, the server's ids of all hits. */
  hitsOf(serverIds: readonly number[]): { readonly breakpointIds: readonly string[]; readonly isException: boolean } {
    const hits = [...this.#byId].flatMap(([id, breakpoint]) =>
      breakpoint.serverIds.some((each) => serverIds.includes(each)) ? [id] : [],
    );
    const breakpointIds = hits.filter((id) => id !== EXCEPTIONS_ID);
    return { breakpointIds, isException: breakpointIds.length === 0 && hits.length > 0 };
  }

  /** Sets the maximum number of values that a log point prints. */
  setMaxLogPointHits(count: number): void {
    this.#logPoints.setMaxHits(count);
  }

  async #add(id: string, breakpoint: OwnBreakpoint): Promise<void> {
    if (this.#isActive) await this.#activate(breakpoint);
    this.#byId.set(id, breakpoint);
  }

  async #activate(breakpoint: OwnBreakpoint): Promise<void> {
    const serverIds: number[] = [];
    for (const params of breakpoint.requests)
      serverIds.push((await this.#context.client.request('addBreakpoint', params)).id);
    breakpoint.serverIds = serverIds;
  }

  async #deactivate(breakpoint: OwnBreakpoint): Promise<void> {
    const { serverIds } = breakpoint;
    breakpoint.serverIds = [];
    for (const id of serverIds) await this.#context.client.request('removeBreakpoint', { id });
  }
}

/** Removes the leading slash, so that the server matches the path with the ends of recorded paths and URLs. */
function pathSuffix(file: string): string {
  return file.replace(/^\//, '');
}
