// Redaction of recordings: of their manifest, and of the events of their traces.
import type { JsonObject } from '../json.ts';
import type { Manifest } from '../manifest.ts';
import type { Recording } from '../recording.ts';
import { TRACE_SOURCES } from '../trace-sources.ts';
import type { TraceEvent, TraceValue } from '../trace/trace-events.ts';
import { HostReads } from './event-names.ts';
import type { Redaction } from './redaction.ts';

/**
 * Learns the secrets of a recording. Yields after each event, so that the caller can pause.
 * @throws {RecordingError} if a trace is damaged
 */
export function* learnRecording(recording: Recording, redaction: Redaction): Generator<void> {
  redaction.learn(redactedFieldsOf(recording.manifest));
  for (const [event, events] of eventsOf(recording, redaction)) {
    events.learn(event);
    yield;
  }
}

/** The events of all threads, each with the redaction of its thread. */
export function* eventsOf(
  recording: Recording,
  redaction: Redaction,
): Generator<readonly [TraceEvent, EventRedaction]> {
  for (const { worker, epoch } of recording.traces()) {
    const trace = recording.trace(worker, epoch);
    const events = new EventRedaction(redaction);
    try {
      for (let { next: event } = trace; event !== undefined; { next: event } = trace) {
        yield [event, events];
        trace.take();
      }
    } finally {
      trace.close();
    }
  }
}

/** Redaction of the events of one thread, which must be passed in order. */
export class EventRedaction {
  readonly #redaction: Redaction;
  readonly #reads = { learned: new HostReads(), redacted: new HostReads() };

  constructor(redaction: Redaction) {
    this.#redaction = redaction;
  }

  learn(event: TraceEvent): void {
    if (event.type === 'messages') return;
    const redaction = this.#redaction;
    if (event.type !== 'outcome') return redaction.learn(event.value);
    const { name, isKeyList } = this.#reads.learned.next(event.source, event.value);
    if (isKeyList) return;
    if (name !== undefined && redaction.isSecretName(name)) redaction.learnNamed(describedValue(event.value), name);
    else redaction.learn(event.value);
  }

  redact(event: TraceEvent): TraceEvent {
    const redaction = this.#redaction;
    switch (event.type) {
      case 'messages':
        return event;
      case 'scheduler':
        return {
          ...event,
          key: redaction.redactsAll ? event.key : redaction.redactText(event.key),
          value: redaction.redactValue(event.value),
        };
      case 'entry':
        return { ...event, value: redaction.redactValue(event.value) };
      case 'outcome':
        return { ...event, value: this.#redactOutcome(event.source, event.value) };
    }
  }

  /** Redacts the results of a machine request but not the request, which is the name of a Node function. */
  #redactOutcome(source: number, value: TraceValue): TraceValue {
    const redaction = this.#redaction;
    const { name, isKeyList } = this.#reads.redacted.next(source, value);
    if (isKeyList) return value;
    if (name !== undefined && redaction.isSecretName(name)) return this.#redactDescribed(value, name);
    if (source !== TRACE_SOURCES.machine || !Array.isArray(value)) return redaction.redactValue(value);
    const [question, ...results] = value as readonly TraceValue[];
    return [question, ...results.map((each) => redaction.redactValue(each))];
  }

  /** Redacts the value in a description of a property, which is its last item. */
  #redactDescribed(value: TraceValue, name: string): TraceValue {
    const [predicted, operation, description, ...others] = value as readonly TraceValue[];
    if (!Array.isArray(description)) return this.#redaction.redactValue(value);
    const items = description as readonly TraceValue[];
    return [predicted, operation, [...items.slice(0, -1), this.#redaction.redactNamed(items.at(-1), name)], ...others];
  }
}

/** The value in an encoded description of a property. */
function describedValue(value: TraceValue): TraceValue {
  const [, , description] = value as readonly TraceValue[];
  return Array.isArray(description) ? (description as readonly TraceValue[]).at(-1) : undefined;
}

/** Fields of the manifest that may hold secrets. */
const REDACTED_FIELDS = ['argv', 'execArgv', 'env', 'devices', 'notes'] as const;

function redactedFieldsOf({ argv, execArgv, env, devices, notes }: Manifest): TraceValue {
  return { argv, execArgv, env, devices, notes };
}

/** Redacts the fields of a manifest that may hold secrets. */
export function redactManifest(manifest: Manifest, redaction: Redaction): Manifest {
  const redactedFields = redaction.redactValue(redactedFieldsOf(manifest)) as unknown as Pick<
    Manifest,
    (typeof REDACTED_FIELDS)[number]
  >;
  return { ...manifest, ...redactedFields, notes: redactedFields.notes as JsonObject };
}
