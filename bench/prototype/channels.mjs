// What it costs a message that somebody could subscribe to the channels of packages/runtime/src/channels.ts, when nobody does: three
// questions a message (send, start and end of the turn). Nanoseconds a message, lowest of 30 interleaved samples: `node bench/prototype/channels.mjs`.
// `control` is `nothing` once more, under a name of its own; `flag` is a property that would have to be kept up to date.
import { channel } from 'node:diagnostics_channel';

const send = channel('bench.send');
const turn = channel('bench.turn');
const flags = { send: false, turn: false };
const MESSAGES = 2e6;
let published = 0;
const publish = (n) => {
  published += n;
};

// Each loop is compiled from text of its own: loops that shared their code would share what V8 has learnt of it.
const loop = (before, inside, after) =>
  new Function(
    'send',
    'turn',
    'flags',
    'publish',
    'messages',
    `const queue = new Int32Array(1024); let at = 0, sum = 0;
    for (let i = 0; i < messages; i++) {
      ${before}
      queue[at & 1023] = i ^ sum; at = (at + 7) | 0;
      ${inside}
      sum = (sum + queue[(at - 7) & 1023] * 31) | 0;
      ${after}
    }
    return sum;`,
  );
const loops = {
  nothing: loop('', '', ''),
  control: loop('', '', ''),
  hasSubscribers: loop(
    'if (send.hasSubscribers) publish(1);',
    'if (turn.hasSubscribers) publish(2);',
    'if (turn.hasSubscribers) publish(3);',
  ),
  flag: loop('if (flags.send) publish(1);', 'if (flags.turn) publish(2);', 'if (flags.turn) publish(3);'),
};
const best = {};
for (let round = 0; round < 30; round++) {
  for (const [name, run] of Object.entries(loops)) {
    const { user } = process.threadCpuUsage();
    run(send, turn, flags, publish, MESSAGES);
    const ns = ((process.threadCpuUsage().user - user) * 1000) / MESSAGES;
    best[name] = Math.min(best[name] ?? Infinity, ns);
  }
}
if (published !== 0) throw new Error('nobody subscribes');
console.log(
  Object.entries(best)
    .map(([name, ns]) => `${name} ${ns.toFixed(2)}`)
    .join('  '),
);
