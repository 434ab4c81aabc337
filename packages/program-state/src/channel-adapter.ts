// Diagnostics channels in a state. A channel is identified by its name; the program's subscribers and bound stores are
// written with it. Other subscribers belong to the host.
import { channel, tracingChannel, type Channel, type TracingChannel } from 'node:diagnostics_channel';
import { activePrototype, programListenerOf } from '@turntable/boundary/membrane';
import { wrapFunction } from '@turntable/loader';
import { descriptorsOf } from './descriptors.ts';
import type { ObjectAdapter } from '@turntable/heap';
import { isProgramFunction } from '@turntable/boundary';

type Subscriber = Parameters<Channel['subscribe']>[0];
type StoreBinding = Parameters<Channel['bindStore']>;

interface ChannelFields {
  readonly _subscribers?: readonly Subscriber[];
  readonly _stores?: ReadonlyMap<StoreBinding[0], StoreBinding[1]>;
}

const CHANNEL_OBJECT = 0;
const TRACING_CHANNEL = 1;
const TRACING_EVENTS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const;

export interface ChannelAdapter extends ObjectAdapter {
  /** Prototypes that no export of Node leads to, by name. */
  readonly prototypes: Readonly<Record<string, object>>;
  /** Channels with subscribers of the program, which are state even without references: Node finds them by name. */
  channelsWithListeners(): readonly object[];
}

function programListenersOf({ _subscribers = [], _stores = new Map() }: ChannelFields): [Subscriber[], StoreBinding[]] {
  return [
    _subscribers.map(programListenerOf).filter(isProgramFunction),
    [..._stores].filter(([, transform]) => !transform || isProgramFunction(transform)),
  ];
}

function hasProgramListeners(channel: object): boolean {
  const [subscribers, stores] = programListenersOf(channel as ChannelFields);
  return subscribers.length > 0 || stores.length > 0;
}

/** Must be called before the program starts. */
export function createChannelAdapter(): ChannelAdapter {
  const tracingSample = tracingChannel('turntable');
  const tracingPrototype = Reflect.getPrototypeOf(tracingSample) as object;
  const sample = tracingSample.start;
  const idlePrototype = Reflect.getPrototypeOf(sample);
  const subscribedPrototype = activePrototype(sample);
  const trackedChannels = trackChannels(idlePrototype as object);
  return {
    name: 'diagnostics channels',
    prototypes: {
      'node:TracingChannel.prototype': tracingPrototype,
      'node:ActiveChannel.prototype': subscribedPrototype,
    },
    channelsWithListeners() {
      for (const each of trackedChannels) if (!hasProgramListeners(each)) trackedChannels.delete(each);
      // The order of subscriptions is not observable, so names order the list.
      const named = [...trackedChannels].map((each) => [String((each as Channel).name), each] as const);
      return named.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, each]) => each);
    },
    appliesTo: 'objects',
    matchesPrototype: (prototype) =>
      prototype === idlePrototype || prototype === subscribedPrototype || prototype === tracingPrototype,
    takeApart(value) {
      const prototype = Reflect.getPrototypeOf(value);
      const initialProperties = descriptorsOf(value);
      if (prototype === tracingPrototype) {
        const channels = TRACING_EVENTS.map((event) => (value as TracingChannel)[event]);
        return {
          kind: TRACING_CHANNEL,
          header: channels,
          contents: [],
          initialProperties,
          label: (index) => `.${TRACING_EVENTS[index]}`,
        };
      }
      if (prototype !== idlePrototype && prototype !== subscribedPrototype) return undefined;
      return {
        kind: CHANNEL_OBJECT,
        header: [(value as Channel).name],
        contents: programListenersOf(value as ChannelFields),
        initialProperties,
        label: (index) => (index === 0 ? '.subscribers' : '.stores'),
      };
    },
    allocate(kind, header) {
      if (kind === CHANNEL_OBJECT) return channel(header[0] as string);
      return tracingChannel(Object.fromEntries(TRACING_EVENTS.map((event, i) => [event, header[i]])) as never);
    },
    fill(object, kind, contents) {
      if (kind !== CHANNEL_OBJECT) return undefined;
      const [subscribers, stores] = contents as [Subscriber[], StoreBinding[]];
      // Deferred until the lists have their elements.
      return () => {
        for (const each of subscribers) (object as Channel).subscribe(each);
        for (const [store, transform] of stores) (object as Channel).bindStore(store, transform as never);
      };
    },
  };
}

/** Tracks each channel when it gets its first subscriber. */
function trackChannels(idlePrototype: object): Set<object> {
  const trackedChannels = new Set<object>();
  let sweepThreshold = 64;
  for (const name of ['subscribe', 'bindStore'] as const) {
    wrapFunction<object>(idlePrototype, name, (nativeMethod, receiver, args) => {
      const answer = Reflect.apply(nativeMethod, receiver, args);
      if (trackedChannels.size >= sweepThreshold) {
        for (const each of trackedChannels) if (!hasProgramListeners(each)) trackedChannels.delete(each);
        sweepThreshold = 2 * Math.max(32, trackedChannels.size);
      }
      trackedChannels.add(receiver);
      return answer;
    });
  }
  return trackedChannels;
}
