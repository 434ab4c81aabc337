// Resources that were left behind in the captured process: warns a restored program about events that will never come,
// and rejects every promise that waits for a result of the host.
import { internals, ROOT_HOME, type Realm } from '@turntable/core';
import { DeadDeviceError } from '@turntable/loader';
import type { DeviceHead } from '@turntable/boundary';
import { withArticle, type AbandonedHandle } from './handle-capturer.ts';

const { setImmediate: nativeSetImmediate } = globalThis;
const WARNING_CODE = 'TT_DEAD_DEVICE';

export function warnAboutAbandoned(
  handles: readonly AbandonedHandle[],
  devices: readonly DeviceHead[],
  operations: readonly string[],
): void {
  for (const { class: name, path, listenAddress } of handles) {
    if (listenAddress === null) continue;
    warn(
      `${path}: ${withArticle(name)} that listened on ${listenAddress} was not restored, and nothing listens there now; ` +
        'create it with its routes in device(() => …), which a restore calls again',
    );
  }
  for (const { name, listeners } of devices) {
    if (listeners.length === 0) continue;
    warn(
      `${name} was created again without the listeners that were added to it later (${listeners.join(', ')}); ` +
        'add listeners in the function that is passed to device(…)',
    );
  }
  if (operations.length > 0) {
    warn(
      `operations that were pending when the program was captured are lost (${operations.join(', ')}): ` +
        'their promises reject, and their callbacks are not called; start them again',
    );
  }
}

/**
 * Warns that no requests arrive, because the data source and its routes were left behind in the captured process.
 * Silent if the program has devices: a restore makes these again.
 */
export function warnAboutDataSources(devices: readonly DeviceHead[]): void {
  if (devices.length > 0) return;
  warn(
    'the data source of this program (such as @turntable/fastify) was not restored, so no requests arrive; ' +
      'create the server with its plugins and routes in device(() => …), which a restore calls again',
  );
}

function warn(text: string): void {
  process.emitWarning(text, { code: WARNING_CODE });
}

/** Rejects eventuals in order, each in a separate task as for results of the host, after everything already queued. */
export function rejectLostEventuals(realm: Realm, eventuals: readonly object[]): void {
  if (eventuals.length === 0) return;
  let nextIndex = 0;
  const rejectNext = (): void => {
    const eventual = eventuals[nextIndex++];
    if (eventual === undefined) return;
    if (nextIndex < eventuals.length) nativeSetImmediate(rejectNext);
    realm.jobs.enterFromNative(homeOf(eventual, realm));
    realm.parts.promise.eventuals.reject(eventual as never, lostOutcomeError(eventual, realm));
  };
  nativeSetImmediate(rejectNext);
}

interface WaitingReaction {
  readonly step?: { readonly name: string };
  readonly context?: { readonly home: typeof ROOT_HOME };
}

function firstReaction(eventual: object, realm: Realm): WaitingReaction | undefined {
  const waitingReactions = internals.read(realm, eventual)?.fields['waiting'];
  return (Array.isArray(waitingReactions) ? waitingReactions[0] : waitingReactions) as WaitingReaction | undefined;
}

function homeOf(eventual: object, realm: Realm): typeof ROOT_HOME {
  return firstReaction(eventual, realm)?.context?.home ?? ROOT_HOME;
}

function lostOutcomeError(eventual: object, realm: Realm): DeadDeviceError {
  const stepName = firstReaction(eventual, realm)?.step?.name ?? '';
  // Names that start with `$` come from the transform, not from the program.
  const name = stepName.startsWith('$') ? '' : stepName;
  return new DeadDeviceError(
    `${name === '' ? 'an awaited host operation' : `the host operation that ${name} awaits`} ended with the captured process, so its result is unknown; ` +
      'catch this error and start the operation again, or keep long operations in device(() => …)',
  );
}
