// No recording yet: those that were opened lately, those that are here, and how to open another one.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { NotOpened, type Offered, type Offers, type Opener, type Services } from '../model/opener.ts';
import { Mark } from './mark.tsx';
import { ServiceList } from './services.tsx';
import { turnTheme } from './theme.ts';

/** What was asked for last, and what came of it. */
interface Asked {
  readonly place: string;
  readonly is: 'opening' | 'refused';
  readonly why: string;
  readonly canBeForced: boolean;
}

export function StartView({ opener }: { readonly opener: Opener }): JSX.Element {
  const [offers, setOffers] = useState<Offers>();
  const [asked, setAsked] = useState<Asked>();
  const first = useRef<HTMLButtonElement>(null);
  const refuse = (place: string, error: unknown): void => {
    const canBeForced = error instanceof NotOpened && error.canBeForced;
    setAsked({ place, is: 'refused', why: (error as Error).message, canBeForced });
  };
  const trying = (place: string, doing: Promise<void>): void => {
    setAsked({ place, is: 'opening', why: '', canBeForced: false });
    doing.then(
      () => setAsked(undefined),
      (error: unknown) => refuse(place, error),
    );
  };
  const open = (place: string, isForced = false): void => trying(place, opener.open(place, isForced));
  const forget = (place: string): void => {
    opener.forget(place).then(setOffers, (error: unknown) => refuse(place, error));
  };
  useEffect(() => {
    opener.offers().then(setOffers, (error: unknown) => refuse('', error));
  }, [opener]);
  useEffect(() => first.current?.focus(), [offers === undefined]);
  return (
    <main class="start" data-drop="whole">
      <header class="start-head">
        <Mark />
        <h1>Turntable</h1>
        <span class="push" />
        <button type="button" class="plain" aria-label="Light or dark" title="Light or dark" onClick={turnTheme}>
          ◐
        </button>
      </header>
      <p class="quiet">To look into a recording, its program is run again on this computer.</p>
      {opener.by === 'dialog' ? (
        <div class="start-ways">
          <button ref={first} type="button" class="main" onClick={() => trying('', opener.choose('directory'))}>
            Open a recording…
          </button>
          <button type="button" class="other" onClick={() => trying('', opener.choose('file'))}>
            Open a packed one (.ttr)…
          </button>
          <span class="quiet">or drop one here</span>
        </div>
      ) : (
        <PathForm onOpen={open} />
      )}
      {asked !== undefined && <AskedFor asked={asked} onForce={() => open(asked.place, true)} />}
      {opener.services !== undefined && (
        <ServiceList
          services={opener.services}
          onLook={({ pid, recording }) => trying(recording, (opener.services as Services).look(pid))}
          onRefused={({ recording }, error) => refuse(recording, error)}
        />
      )}
      {offers === undefined ? (
        asked === undefined && (
          <p class="empty" role="status">
            Looking which recordings there are <progress />
          </p>
        )
      ) : (
        <>
          <OfferList title="Opened lately" all={offers.recent} onOpen={open} onForget={forget} />
          {offers.here.length > 0 && <OfferList title="In recordings, here" all={offers.here} onOpen={open} />}
          {offers.recent.length + offers.here.length === 0 && (
            <p class="empty">
              None was opened here yet. <code>turntable record FILE</code> makes one.
            </p>
          )}
        </>
      )}
    </main>
  );
}

function PathForm({ onOpen }: { readonly onOpen: (place: string) => void }): JSX.Element {
  const [text, setText] = useState('');
  return (
    <form
      class="start-ways"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') onOpen(text.trim());
      }}
    >
      <label class="start-path">
        <span class="unseen">Path of a recording</span>
        <input
          type="text"
          autofocus
          spellcheck={false}
          autocomplete="off"
          placeholder="Path of a directory or of a .ttr file"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="main">
        Open
      </button>
      <span class="quiet">Browsers do not tell pages where a file is: what is dropped here cannot be opened.</span>
    </form>
  );
}

function AskedFor({ asked, onForce }: { readonly asked: Asked; readonly onForce: () => void }): JSX.Element {
  const { place, is, why, canBeForced } = asked;
  if (is === 'opening')
    return (
      <p class="start-asked appears" role="status">
        {place === '' ? 'Waiting for what is chosen' : `${place}: its program is run again, once`} <progress />
      </p>
    );
  return (
    <div class="start-asked is-error" role="alert">
      {place !== '' && <strong>{place}</strong>}
      <p class="lost-why">{why}</p>
      {canBeForced && (
        <button type="button" class="other" onClick={onForce}>
          Open it all the same
        </button>
      )}
    </div>
  );
}

interface OfferListProps {
  readonly title: string;
  readonly all: readonly Offered[];
  readonly onOpen: (place: string) => void;
  readonly onForget?: (place: string) => void;
}

function OfferList({ title, all, onOpen, onForget }: OfferListProps): JSX.Element | null {
  if (all.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul class="offers">
        {all.map(({ place, name, time, about, isThere }) => (
          <li key={place} class="offer">
            <button type="button" class="offer-open" disabled={!isThere} onClick={() => onOpen(place)} title={place}>
              <span class="offer-name">{name}</span>
              <span class="quiet offer-about">{isThere ? (about ?? place) : `${place} is not there any more`}</span>
              {time !== undefined && <time class="quiet">{new Date(time).toLocaleString()}</time>}
            </button>
            {onForget !== undefined && (
              <button
                type="button"
                class="plain"
                aria-label={`Leave ${name} out of this list`}
                title="Leave it out of this list"
                onClick={() => onForget(place)}
              >
                ✕
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
