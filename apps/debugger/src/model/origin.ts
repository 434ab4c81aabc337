// Where a value comes from, step by step back: who has written it, what that was a copy of, by which call it was passed, with which message it was sent. Each step is asked of the server; what a
// statement copies is read from its source (given.ts), and where it makes something new of several values, it is for people to choose which of these they mean.
import type { Landed, ParamsOf, Where } from '@turntable/time-machine/protocol';
import { SourceTree, type Given } from './given.ts';
import type { SessionPort } from './session-port.ts';

export interface OriginStep {
  readonly asked: string;
  readonly way: NonNullable<Landed['origin']>['way'];
  readonly note: string;
  readonly where: Where;
  /** The line of the statement. */
  readonly code: string | undefined;
  /** What the value was made of there: may be asked about from there. */
  readonly parts: readonly string[];
}

export interface Origin {
  readonly text: string;
  /** Where it has the value that is asked about. */
  readonly position: string;
  readonly steps: readonly OriginStep[];
  /** Why it goes no further back. */
  readonly why: string | undefined;
  readonly isAsking: boolean;
}

/** Where something is asked about, and of which actor, whoever has the turn there. */
export interface AskedAt extends Pick<ParamsOf<'find'>, 'of'> {
  readonly position?: string | undefined;
}

interface Came {
  /** What has been given its value. */
  readonly part: string;
  /** Where it was asked about. */
  readonly from: string;
}

/** Steps that are followed by themselves. */
const MOST = 20;

interface SessionFields {
  readonly origin: Origin | undefined;
  readonly where: Where | undefined;
}

export class Origins {
  readonly #session: SessionPort<SessionFields>;
  readonly #trees = new Map<string, SourceTree | undefined>();
  #asking = new AbortController();

  constructor(session: SessionPort<SessionFields>) {
    this.#session = session;
  }

  /** @param at where it has the value: where all stand, unless it is said */
  async ask(text: string, at: AskedAt = {}): Promise<void> {
    const { position = this.#session.state.where?.position ?? '', of } = at;
    this.#session.show({ below: 'origin' });
    await this.#follow({ text, position, steps: [], why: undefined, isAsking: true }, text, { position, of });
  }

  /** From a step that was told of, with something that is there. @param step its place among them */
  async askOn(step: number, text: string): Promise<void> {
    const { origin } = this.#session.state;
    const position = origin?.steps[step]?.where.position;
    if (origin === undefined || position === undefined) return;
    const steps = origin.steps.slice(0, step + 1);
    await this.#follow({ ...origin, steps, why: undefined, isAsking: true }, text, { position });
  }

  /** Goes to the statement that has sent the message with which a value has come. */
  async goToSending(text: string, at: AskedAt = {}): Promise<void> {
    await this.ask(text, at);
    const { origin } = this.#session.state;
    const sent = origin?.steps.find(({ way }) => way === 'sent' || way === 'settled');
    if (sent !== undefined) await this.#session.goTo(sent.where.position);
    else if (origin !== undefined && !origin.isAsking)
      this.#session.say(`No message has brought ${text}, as far as it can be followed.`);
  }

  forget(): void {
    this.#asking.abort();
    this.#session.store.put({ origin: undefined });
  }

  cancel(): void {
    const { origin } = this.#session.state;
    this.#asking.abort();
    if (origin?.isAsking === true)
      this.#session.store.put({ origin: { ...origin, isAsking: false, why: 'It was given up.' } });
  }

  async #follow(begun: Origin, text: string, at: AskedAt & { readonly position: string }): Promise<void> {
    this.#asking.abort();
    const { signal } = (this.#asking = new AbortController());
    let origin = begun;
    const put = (part: Partial<Origin>): void => {
      origin = { ...origin, ...part };
      if (!signal.aborted) this.#session.store.put({ origin });
    };
    put({});
    try {
      let asked: string | undefined = text;
      let { position: from, of } = at;
      for (let count = 0; asked !== undefined && count < MOST; count++) {
        const found = await this.#step(asked, { from, of }, signal);
        if (signal.aborted) return;
        if ('why' in found) {
          put({ why: found.why, isAsking: false });
          return;
        }
        put({ steps: [...origin.steps, found.step] });
        asked = found.next;
        from = found.step.where.position;
        of = undefined;
      }
      const last = origin.steps.at(-1);
      const why = asked === undefined && last !== undefined ? whyOver(last) : 'It goes on: ask from there.';
      put({ why, isAsking: false });
    } catch (error) {
      put({ why: (error as Error).message, isAsking: false });
    }
  }

  async #step(
    asked: string,
    { from, of }: Pick<ParamsOf<'find'>, 'of'> & { readonly from: string },
    signal: AbortSignal,
  ): Promise<{ readonly step: OriginStep; readonly next: string | undefined } | { readonly why: string }> {
    const wish = { move: 'wrote', arguments: { what: asked }, from, of };
    const { found, why, note = '', origin, where } = await this.#session.request('find', wish, { signal });
    if (!found) return { why: why ?? 'nobody knows' };
    // An earlier server says it in words only.
    const { way, part } = origin ?? { way: 'written' as const, part: asked };
    const { statement } = where;
    const tree = statement && (await this.#treeOf(statement.file));
    const step = { asked, way, note, where };
    if (statement === undefined || tree === undefined)
      return { step: { ...step, code: undefined, parts: [] }, next: undefined };
    // An actor is made where it says so: nothing is copied.
    const isActor = of !== undefined && asked === 'this';
    const none: Given = { copied: undefined, parts: [] };
    const { copied, parts } = isActor ? none : await this.#givenBy(tree, { asked, way, part, where, from });
    const code = tree.lineOf(statement);
    return { step: { ...step, code, parts: copied === undefined ? parts : [copied] }, next: copied };
  }

  async #givenBy(
    tree: SourceTree,
    { asked, way, part, where, from }: Pick<OriginStep, 'asked' | 'way' | 'where'> & Came,
  ): Promise<Given> {
    // What has come with the part is behind it: `.city` of `order.address.city`.
    const rest = asked.startsWith(part) ? asked.slice(part.length) : '';
    const { statement } = where;
    if (statement === undefined) return { copied: undefined, parts: [] };
    if (way === 'written') return tree.givenBy(statement, part, rest);
    if (way !== 'passed' && way !== 'sent') return { copied: undefined, parts: [] };
    const receiving = await this.#statementAt(from);
    const its = receiving && (await this.#treeOf(receiving.file));
    return tree.passedBy(statement, receiving && its?.parameterAt(receiving, part), rest);
  }

  async #statementAt(position: string): Promise<Where['statement']> {
    const { where } = this.#session.state;
    if (where?.position === position) return where.statement;
    const known = this.#session.state.origin?.steps.find((each) => each.where.position === position);
    if (known !== undefined) return known.where.statement;
    const landed = await this.#session.request('find', { move: 'position', arguments: { position } });
    return landed.where.statement;
  }

  async #treeOf(file: string): Promise<SourceTree | undefined> {
    if (!this.#trees.has(file)) {
      const text = await this.#session.sourceOf(file);
      this.#trees.set(file, text === undefined ? undefined : new SourceTree(text));
    }
    return this.#trees.get(file);
  }
}

function whyOver({ way, where, code, parts }: OriginStep): string {
  if (way === 'settled') return 'What was settled there is to be seen there.';
  if (way === 'resumed') return 'It was so before: go there to ask on.';
  if (where.statement === undefined) return 'Which statement of this turn has sent it is not known: go there to see.';
  if (code === undefined) return 'The recording has not the source of that place.';
  return parts.length > 0 ? 'Made there of other values: choose one to go on with.' : 'It was made there.';
}
