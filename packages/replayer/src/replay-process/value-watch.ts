// What an expression comes to between the stretches of a thread, while it runs: each time that it has become another one is told. Deep: a part of a part that has changed counts.
import type { Loader } from '../thread/loader.ts';
import type { FollowingTape, Scheduler } from '@turntable/runtime';
import type { ThreadHit, WatchedExpression } from '@turntable/time-machine/replay-process';
import { Expression } from './evaluation.ts';
import { privateFields } from './private-fields.ts';
import { lineOf, type Known } from '../replay/thread/shown-values.ts';
import { thrownText } from './thrown-text.ts';
import { statePartsOf } from './state-parts.ts';
import { topScopeOf } from './top-scope.ts';

type Actor = Scheduler['main'];

/** Parts that are looked at. */
const MOST = 2000;
/** Changes that are told of together. */
const MANY = 200;

export interface WatchPorts {
  readonly loader: Loader;
  tape(): FollowingTape;
  scheduler(): Scheduler | undefined;
  tell(changes: readonly ThreadHit[]): void;
}

export class ValueWatch {
  readonly #wish: WatchedExpression;
  readonly #ports: WatchPorts;
  readonly #known: Known;
  #actor: Actor | undefined;
  #last: { readonly text: string; readonly parts: string } | undefined;
  #changes: ThreadHit[] = [];

  constructor(wish: WatchedExpression, ports: WatchPorts) {
    this.#wish = wish;
    this.#ports = ports;
    const { realm } = ports.loader;
    this.#known = { waiting: () => [], privates: (object) => privateFields(realm, object) };
  }

  /** Its turn comes next. */
  meets(actor: Actor | undefined): void {
    if (actor?.name === this.#wish.actor) this.#actor = actor;
  }

  /** Between two stretches. @param begun how many there have been */
  looks(begun: number): void {
    const { loader, tape } = this.#ports;
    let now = { text: '', parts: '' };
    tape().apart(() => loader.statements?.apart(() => void (now = this.#now())));
    const last = this.#last;
    this.#last = now;
    if (last === undefined || (last.parts === now.parts && last.text === now.text)) return;
    this.#changes.push([begun, 0, 0, 0, JSON.stringify([last.text, now.text])]);
    if (this.#changes.length >= MANY) this.tell();
  }

  tell(): void {
    if (this.#changes.length === 0) return;
    const changes = this.#changes;
    this.#changes = [];
    this.#ports.tell(changes);
  }

  #now(): { readonly text: string; readonly parts: string } {
    const { loader, scheduler } = this.#ports;
    const { text, file } = this.#wish;
    const { main, census } = scheduler() ?? {};
    const isProgram = main === undefined || this.#wish.actor === main.name;
    if (!isProgram) this.#actor ??= census?.known().find(({ name }) => name === this.#wish.actor);
    const self = isProgram ? undefined : this.#actor?.root;
    if (!isProgram && self === undefined) return { text: '(no such actor)', parts: '' };
    try {
      const top = topScopeOf(loader, file);
      const variables = new Map([['this', { value: self }]]);
      const value = new Expression(text, variables.keys(), loader.realm, top).bound(variables)();
      const { parts } = statePartsOf([['', value]], this.#known, MOST);
      return { text: lineOf(value, 0), parts: JSON.stringify(parts) };
    } catch (error) {
      return { text: thrownText(error), parts: '' };
    }
  }
}
