// The start page: recent recordings, recordings in the server's directory, running programs, and ways to open others.
import type { ConsentRequest } from '@turntable/time-machine/recent';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import {
  ConsentError,
  OpenError,
  type OpenAttemptOptions,
  type RecordingOffer,
  type RecordingOffers,
  type RecordingOpener,
  type RunningServices,
} from '../model/opener.ts';
import { ConsentDialog } from './consent-dialog.tsx';
import { Logo } from './logo.tsx';
import { ServiceList } from './services.tsx';
import { toggleTheme } from './theme.ts';

/** The last attempt to open a recording: in progress, or refused with a reason. */
interface OpenAttempt {
  readonly path: string;
  readonly options: OpenAttemptOptions;
  readonly state: 'opening' | 'refused';
  readonly reason: string;
  readonly canBeForced: boolean;
}

/** An attempt that waits for the consent of the user. */
interface PendingConsent {
  readonly path: string;
  readonly options: OpenAttemptOptions;
  readonly request: ConsentRequest;
}

export function StartView({ opener }: { readonly opener: RecordingOpener }): JSX.Element {
  const [offers, setOffers] = useState<RecordingOffers>();
  const [attempt, setAttempt] = useState<OpenAttempt>();
  const [pendingConsent, setPendingConsent] = useState<PendingConsent>();
  const firstButton = useRef<HTMLButtonElement>(null);
  const showRefusal = (path: string, error: unknown, options: OpenAttemptOptions = {}): void => {
    const canBeForced = error instanceof OpenError && error.canBeForced;
    setAttempt({ path, options, state: 'refused', reason: (error as Error).message, canBeForced });
  };
  const tryOpening = (path: string, opening: Promise<void>, options: OpenAttemptOptions = {}): void => {
    setAttempt({ path, options, state: 'opening', reason: '', canBeForced: false });
    opening.then(
      () => setAttempt(undefined),
      (error: unknown) => {
        if (!(error instanceof ConsentError)) return showRefusal(path, error, options);
        setAttempt(undefined);
        setPendingConsent({ path, options, request: error.request });
      },
    );
  };
  const open = (path: string, options?: OpenAttemptOptions): void =>
    tryOpening(path, opener.open(path, options), options);
  const removeRecent = (path: string): void => {
    opener.removeRecent(path).then(setOffers, (error: unknown) => showRefusal(path, error));
  };
  useEffect(() => {
    opener.offers().then(setOffers, (error: unknown) => showRefusal('', error));
  }, [opener]);
  useEffect(() => firstButton.current?.focus(), [offers === undefined]);
  return (
    <main class="start" data-drop="whole">
      <header class="start-head">
        <Logo />
        <h1>Turntable</h1>
        <span class="push" />
        <button
          type="button"
          class="plain"
          aria-label="Switch between light and dark"
          title="Switch between light and dark"
          onClick={toggleTheme}
        >
          ◐
        </button>
      </header>
      <p class="quiet">To debug a recording, its program is replayed on this computer.</p>
      {opener.picker === 'dialog' ? (
        <div class="start-actions">
          <button ref={firstButton} type="button" class="main" onClick={() => tryOpening('', opener.pick('directory'))}>
            Open a recording…
          </button>
          <button type="button" class="other" onClick={() => tryOpening('', opener.pick('file'))}>
            Open a packed recording (.ttr)…
          </button>
          <span class="quiet">or drop one here</span>
        </div>
      ) : (
        <PathForm onOpen={open} />
      )}
      {attempt !== undefined && (
        <OpenAttemptStatus
          attempt={attempt}
          onForce={() => open(attempt.path, { ...attempt.options, isForced: true })}
        />
      )}
      {pendingConsent !== undefined && (
        <ConsentDialog
          request={pendingConsent.request}
          onAgree={() => {
            const { path, options, request } = pendingConsent;
            open(path, { ...options, agreedDigest: request.codeDigest });
          }}
          onClose={() => setPendingConsent(undefined)}
        />
      )}
      {opener.services !== undefined && (
        <ServiceList
          services={opener.services}
          onOpen={({ pid, recording }) => tryOpening(recording, (opener.services as RunningServices).open(pid))}
          onError={({ recording }, error) => showRefusal(recording, error)}
        />
      )}
      {offers === undefined ? (
        attempt === undefined && (
          <p class="empty" role="status">
            Loading recordings… <progress />
          </p>
        )
      ) : (
        <>
          <OfferList title="Recent recordings" offers={offers.recent} onOpen={open} onRemove={removeRecent} />
          {offers.local.length > 0 && <OfferList title="In ./recordings" offers={offers.local} onOpen={open} />}
          {offers.recent.length + offers.local.length === 0 && (
            <p class="empty">
              No recordings yet. <code>turntable record FILE</code> makes one.
            </p>
          )}
        </>
      )}
    </main>
  );
}

function PathForm({ onOpen }: { readonly onOpen: (path: string) => void }): JSX.Element {
  const [text, setText] = useState('');
  return (
    <form
      class="start-actions"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') onOpen(text.trim());
      }}
    >
      <label class="start-path">
        <span class="visually-hidden">Path of a recording</span>
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
      <span class="quiet">Browsers hide the paths of files, so dropped files cannot be opened.</span>
    </form>
  );
}

function OpenAttemptStatus({
  attempt,
  onForce,
}: {
  readonly attempt: OpenAttempt;
  readonly onForce: () => void;
}): JSX.Element {
  const { path, state, reason, canBeForced } = attempt;
  if (state === 'opening')
    return (
      <p class="open-attempt appears" role="status">
        {path === '' ? 'Waiting for the dialog' : `Opening ${path}: its program is replayed once`} <progress />
      </p>
    );
  return (
    <div class="open-attempt is-error" role="alert">
      {path !== '' && <strong>{path}</strong>}
      <p class="error-reason">{reason}</p>
      {canBeForced && (
        <button type="button" class="other" onClick={onForce}>
          Open anyway
        </button>
      )}
    </div>
  );
}

interface OfferListProps {
  readonly title: string;
  readonly offers: readonly RecordingOffer[];
  readonly onOpen: (path: string) => void;
  readonly onRemove?: (path: string) => void;
}

function OfferList({ title, offers, onOpen, onRemove }: OfferListProps): JSX.Element | null {
  if (offers.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul class="offers">
        {offers.map(({ path, name, time, description, exists }) => (
          <li key={path} class="offer">
            <button type="button" class="offer-open" disabled={!exists} onClick={() => onOpen(path)} title={path}>
              <span class="offer-name">{name}</span>
              <span class="quiet offer-description">{exists ? (description ?? path) : `${path} does not exist`}</span>
              {time !== undefined && <time class="quiet">{new Date(time).toLocaleString()}</time>}
            </button>
            {onRemove !== undefined && (
              <button
                type="button"
                class="plain"
                aria-label={`Remove ${name} from this list`}
                title="Remove from this list"
                onClick={() => onRemove(path)}
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
