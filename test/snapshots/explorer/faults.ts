// Ways to get the protocol wrong: for each rule of docs/internals/snapshots.md that can be left out, the consequence and the
// scenario in which it must show. A clean exploration of the real protocol is evidence only because all of these are
// detected.

interface FaultCase {
  readonly wrong: string;
  readonly in: string;
}

const asked = 'call to an actor of another worker';
const lentLocally = 'lent reference passed on to a third actor, all on one worker';
const lentAcrossWorkers = 'lent reference passed on to a third actor, on three workers';
const passed = 'eventual passed on locally, then to another worker, and settled by a later turn';
const spawned = 'message to a new actor overtakes its spawn';
const stopped = 'actor watched and stopped by other workers';
const started = 'workers started while a phase begins';
const lost = 'worker lost and replaced';

export const FAULTS = {
  'does not touch an actor before its turn': { wrong: 'an actor runs a turn before it is written', in: asked },
  'does not touch an actor before a settle': {
    wrong: 'an answer changes the caller before it is written (counter-example 23)',
    in: asked,
  },
  'does not touch an actor before it stops': { wrong: 'an actor ends before it is written', in: stopped },
  'does not touch a watched actor': {
    wrong: 'the written actor has a watcher that it did not have at the cut',
    in: stopped,
  },
  'sends before the marker': { wrong: 'a message sent after the cut counts as sent before it', in: asked },
  'does not cut at a marker': { wrong: 'a snapshot contains an effect without its cause', in: asked },
  'does not write messages in flight': { wrong: 'a message is in no part', in: asked },
  'writes messages in flight into the last snapshot only': {
    wrong: 'a message that stays on its ring for two phases is missing in the first',
    in: asked,
  },
  'does not write deferred objects of written actors': {
    wrong: 'a reference leads to an object that was not written (counter-example 3)',
    in: lentLocally,
  },
  'forgets references held by other workers': {
    wrong: 'an object that only another worker refers to is missing',
    in: lentAcrossWorkers,
  },
  'forgets open questions': { wrong: 'an answer finds no waiting eventual', in: asked },
  'forgets received eventuals': { wrong: 'an outcome finds no waiting eventual', in: passed },
  'forgets expected actors': {
    wrong: 'messages that arrive before their actor are lost (counter-example 28)',
    in: spawned,
  },
  'writes actors created by messages in flight': { wrong: 'an actor is in the snapshot and in flight', in: spawned },
  'records the end of the queue late': { wrong: 'messages queued after the cut count as queued before it', in: asked },
  'writes a segment after its first message': { wrong: 'a message has taken effect and is still queued', in: asked },
  'writes the base late': {
    wrong: 'module state contains effects of a later turn (counter-example 1)',
    in: 'two actors share module state',
  },
  'assigns new actors to the previous phase': {
    wrong: 'an actor created after the cut is in the snapshot',
    in: 'actor spawned by an actor of the same worker',
  },
  'starts workers in the triggered phase': {
    wrong: 'messages sent to them before the cut belong to a snapshot without them (counter-example 30)',
    in: started,
  },
  'touches only the actor whose reference is released': {
    wrong: 'an actor that is written later has a dangling reference',
    in: 'lent reference released while another actor holds it',
  },
  'waits for the marker of an ended worker': { wrong: 'a snapshot is neither completed nor given up', in: lost },
  'completes parts without an ended worker': {
    wrong: 'one part counts the worker as ended and another does not',
    in: lost,
  },
  'uses one identity table per piece': { wrong: 'one object becomes two', in: passed },
  'writes an object twice': {
    wrong: 'an earlier piece is overwritten with the current state of an object',
    in: 'caller settles the eventual before the answer arrives',
  },
  'completes parts without all markers': { wrong: 'a message in flight arrives too late to be written', in: asked },
  'starts the next snapshot before the last is written': {
    wrong: 'the rest of the last snapshot is never written',
    in: asked,
  },
} as const satisfies Record<string, FaultCase>;

export type Fault = keyof typeof FAULTS;
