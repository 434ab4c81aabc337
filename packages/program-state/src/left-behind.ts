// What a program that goes on is told of what stayed behind in the process that was captured: warnings of what will never come and of who
// is no longer there, and the failure of everything that waits for the outcome of something outside.
import { internals, ROOT_HOME, type Realm } from '@turntable/core';
import { DeadDeviceError } from '@turntable/loader';
import type { DeviceHead } from '@turntable/boundary';
import { withArticle, type LeftBehind } from './handles.ts';

const { setImmediate: nativeSetImmediate } = globalThis;
const CODE = 'TT_DEAD_DEVICE';

export function warnOf(
  handles: readonly LeftBehind[],
  devices: readonly DeviceHead[],
  operations: readonly string[],
): void {
  for (const { class: name, path, listened } of handles) {
    if (listened === null) continue;
    warn(
      `${path}: ${withArticle(name)} that listened on ${listened} stayed behind, and nobody listens there now; ` +
        'make it in device(() => …), with its routes, to have it made again',
    );
  }
  for (const { name, listeners } of devices) {
    if (listeners.length === 0) continue;
    warn(
      `${name} was made again without the listeners that were added to it later (${listeners.join(', ')}); ` +
        'add them in the function that device(…) is given',
    );
  }
  if (operations.length > 0) {
    warn(
      `what was under way outside when the program was captured stayed behind (${operations.join(', ')}): ` +
        'promises of it are rejected, callbacks will not come',
    );
  }
}

/** Of a program that had requests brought in by hand: what brought them is outside, with its routes. */
export function warnOfSources(devices: readonly DeviceHead[]): void {
  if (devices.length > 0) return;
  warn(
    'what brought requests to this program from outside (a data source, as of @turntable/fastify) stayed behind with its routes, and nobody listens there now; ' +
      'make the server in device(() => …), with its plugins and routes, to have it made again',
  );
}

function warn(text: string): void {
  process.emitWarning(text, { code: CODE });
}

/** In their order, and each in a turn of its own, as outcomes come from outside; when what waited already is on its way. */
export function loseOutcomes(realm: Realm, eventuals: readonly object[]): void {
  if (eventuals.length === 0) return;
  let next = 0;
  const lose = (): void => {
    const eventual = eventuals[next++];
    if (eventual === undefined) return;
    if (next < eventuals.length) nativeSetImmediate(lose);
    realm.jobs.entering(homeOf(eventual, realm));
    realm.parts.promise.eventuals.reject(eventual as never, lostOutcome(eventual, realm));
  };
  nativeSetImmediate(lose);
}

interface Waiting {
  readonly step?: { readonly name: string };
  readonly context?: { readonly home: typeof ROOT_HOME };
}

function firstOf(eventual: object, realm: Realm): Waiting | undefined {
  const waiting = internals.read(realm, eventual)?.fields['waiting'];
  return (Array.isArray(waiting) ? waiting[0] : waiting) as Waiting | undefined;
}

function homeOf(eventual: object, realm: Realm): typeof ROOT_HOME {
  return firstOf(eventual, realm)?.context?.home ?? ROOT_HOME;
}

function lostOutcome(eventual: object, realm: Realm): DeadDeviceError {
  const step = firstOf(eventual, realm)?.step?.name ?? '';
  // Some only have names that the transform has given them.
  const name = step.startsWith('$') ? '' : step;
  return new DeadDeviceError(
    `the outcome of what ${name === '' ? 'was awaited' : `${name} awaited`} outside was only known to the process that was captured; ` +
      'catch this and begin again, or keep what takes long in device(() => …)',
  );
}
