// Diagnostics channels in a state: libraries keep them from their first line on. A channel is found again by its name; who of the program
// listens to it, and which of its stores are bound to it, comes with it. Listeners of others stay with the host.
import { channel, tracingChannel, type Channel, type TracingChannel } from 'node:diagnostics_channel';
import { activePrototype, listenerBehind } from '@turntable/boundary/membrane';
import { standInBy } from '@turntable/loader';
import { descriptorsOf } from './descriptors.ts';
import type { Adapter } from '@turntable/heap';
import { isOfProgram } from '@turntable/boundary';

type Subscriber = Parameters<Channel['subscribe']>[0];
type Binding = Parameters<Channel['bindStore']>;

interface ChannelFields {
  readonly _subscribers?: readonly Subscriber[];
  readonly _stores?: ReadonlyMap<Binding[0], Binding[1]>;
}

const CHANNEL = 0;
const TRACING = 1;
const EVENTS = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const;

export interface ChannelObjects extends Adapter {
  /** Prototypes that nothing Node exports leads to, by name. */
  readonly prototypes: Readonly<Record<string, object>>;
  /** Channels that somebody of the program listens to: Node knows them by name, whoever has a reference. */
  listenedTo(): readonly object[];
}

function listenersOf({ _subscribers = [], _stores = new Map() }: ChannelFields): [Subscriber[], Binding[]] {
  return [
    _subscribers.map(listenerBehind).filter(isOfProgram),
    [..._stores].filter(([, transform]) => !transform || isOfProgram(transform)),
  ];
}

function isListenedTo(channel: object): boolean {
  const [subscribers, stores] = listenersOf(channel as ChannelFields);
  return subscribers.length > 0 || stores.length > 0;
}

/** Made before the program begins. */
export function channelObjects(): ChannelObjects {
  const tracing = tracingChannel('turntable');
  const ofTracing = Reflect.getPrototypeOf(tracing) as object;
  const sample = tracing.start;
  const idle = Reflect.getPrototypeOf(sample);
  const active = activePrototype(sample);
  const followed = followChannels(idle as object);
  return {
    name: 'diagnostics channels',
    prototypes: { 'node:TracingChannel.prototype': ofTracing, 'node:ActiveChannel.prototype': active },
    listenedTo() {
      for (const each of followed) if (!isListenedTo(each)) followed.delete(each);
      // When somebody first listened is nothing that a program could tell.
      const named = [...followed].map((each) => [String((each as Channel).name), each] as const);
      return named.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, each]) => each);
    },
    asks: 'objects',
    claims: (prototype) => prototype === idle || prototype === active || prototype === ofTracing,
    take(value) {
      const prototype = Reflect.getPrototypeOf(value);
      const born = descriptorsOf(value);
      if (prototype === ofTracing) {
        const channels = EVENTS.map((event) => (value as TracingChannel)[event]);
        return { kind: TRACING, header: channels, contents: [], born, label: (index) => `.${EVENTS[index]}` };
      }
      if (prototype !== idle && prototype !== active) return undefined;
      return {
        kind: CHANNEL,
        header: [(value as Channel).name],
        contents: listenersOf(value as ChannelFields),
        born,
        label: (index) => (index === 0 ? '.subscribers' : '.stores'),
      };
    },
    allocate(kind, header) {
      if (kind === CHANNEL) return channel(header[0] as string);
      return tracingChannel(Object.fromEntries(EVENTS.map((event, i) => [event, header[i]])) as never);
    },
    fill(object, kind, contents) {
      if (kind !== CHANNEL) return undefined;
      const [subscribers, stores] = contents as [Subscriber[], Binding[]];
      // Once the lists have their elements.
      return () => {
        for (const each of subscribers) (object as Channel).subscribe(each);
        for (const [store, transform] of stores) (object as Channel).bindStore(store, transform as never);
      };
    },
  };
}

/** Notes each channel of the idle class when somebody begins to listen to it. */
function followChannels(idle: object): Set<object> {
  const followed = new Set<object>();
  let most = 64;
  for (const name of ['subscribe', 'bindStore'] as const) {
    standInBy<object>(idle, name, (native, of, args) => {
      const answer = Reflect.apply(native, of, args);
      if (followed.size >= most) {
        for (const each of followed) if (!isListenedTo(each)) followed.delete(each);
        most = 2 * Math.max(32, followed.size);
      }
      followed.add(of);
      return answer;
    });
  }
  return followed;
}
