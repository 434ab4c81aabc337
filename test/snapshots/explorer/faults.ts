/*
 * Ways to get the protocol wrong: of each, what goes wrong when a rule of docs/snapshots.md is left out, and the scenario in which that must
 * show. That the explorer finds nothing in the protocol as it is says something only because it finds each of these.
 */

interface FaultCase {
  readonly wrong: string;
  readonly in: string;
}

const asked = 'an actor of another worker is asked and answers';
const lentHere = 'a reference is lent and passed on to the third, all on one worker';
const lentAway = 'a reference is lent and passed on to the third, on three workers';
const passed = 'an eventual is passed on the same worker and away again, and settled by a turn of its own';
const spawned = 'an actor is spawned, told of, and told something by who has heard of it first';
const stopped = 'an actor is watched and stopped from elsewhere';
const started = 'workers are started while a phase begins';
const lost = 'a worker is lost and another one takes its place';

export const FAULTS = {
  'does not touch before a turn': { wrong: 'an actor has a turn before it is written', in: asked },
  'does not touch before a settle': { wrong: 'an answer changes who has asked (counter-example 23)', in: asked },
  'does not touch before a stop': { wrong: 'an actor ends before it is written', in: stopped },
  'does not touch who is watched': { wrong: 'it has one more to tell of its end than it had', in: stopped },
  'sends before the marker': { wrong: 'what is sent after the cut counts as sent before', in: asked },
  'goes on in its phase behind a marker': { wrong: 'an effect is in a snapshot that its cause is not in', in: asked },
  'does not write what is under way': { wrong: 'a message is in no part', in: asked },
  'writes what is under way for its last snapshot alone': {
    wrong: 'a message that stays on its ring for two phases is missing in the first',
    in: asked,
  },
  'writes no debt of an actor that is written': {
    wrong: 'a reference leads to an object that stands nowhere (counter-example 3)',
    in: lentHere,
  },
  'forgets what it has given away': { wrong: 'only another worker has a reference to an object', in: lentAway },
  'forgets what it has asked': { wrong: 'an answer finds nobody who waits for it', in: asked },
  'forgets what was passed to it': { wrong: 'the outcome of an eventual finds nobody', in: passed },
  'forgets the unborn': { wrong: 'what came before the actor it is for is lost (counter-example 28)', in: spawned },
  'finds whom a message under way has made': { wrong: 'an actor is in the snapshot and under way', in: spawned },
  'notes the end of the queue late': { wrong: 'what is queued after the cut counts as what waited', in: asked },
  'writes a segment behind its first message': { wrong: 'a message has had its effect and waits', in: asked },
  'writes the base late': {
    wrong: 'module state is as some turn has left it (counter-example 1)',
    in: 'two actors share the state of a module',
  },
  'makes actors in the phase before': {
    wrong: 'an actor that is made after the cut is in the snapshot',
    in: 'actors are spawned by actors, on the same worker',
  },
  'starts workers in the phase that was triggered': {
    wrong: 'what is sent to them before the cut belongs to a snapshot that they are not in (counter-example 30)',
    in: started,
  },
  'touches only the actor whose reference is released': {
    wrong: 'somebody who is written later has a reference that leads nowhere',
    in: 'a reference is taken back while others have it',
  },
  'waits for the marker of a worker that has ended': { wrong: 'a snapshot is neither whole nor given up', in: lost },
  'goes on without a worker that has ended': {
    wrong: 'a worker has ended for one part, and for another that waits for it it has not',
    in: lost,
  },
  'has a table of identities for each piece': { wrong: 'one object is two', in: passed },
  'looks again at what is written': {
    wrong: 'a later piece has what an earlier one has written as it is now',
    in: 'who has asked gives up before there is an answer',
  },
  'ends without all markers': { wrong: 'what is still under way comes too late', in: asked },
  'starts the next snapshot with the last unwritten': { wrong: 'nobody writes what is left', in: asked },
} as const satisfies Record<string, FaultCase>;

export type Fault = keyof typeof FAULTS;
