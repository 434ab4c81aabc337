// Programs that are being recorded now: looked for again and again while somebody sees them, to be asked for something, and to be looked into as far as they have come.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { OfferedService } from '@turntable/time-machine/services';
import type { Services } from '../model/opener.ts';

/** Milliseconds. */
const AGAIN = 2000;

const WISHES: Readonly<Record<string, string>> = {
  start: 'Record',
  stop: 'Stop recording',
  snapshot: 'Take a snapshot',
};

interface ServiceListProps {
  readonly services: Services;
  readonly onLook: (service: OfferedService) => void;
  readonly onRefused: (service: OfferedService, error: unknown) => void;
}

export function ServiceList({ services, onLook, onRefused }: ServiceListProps): JSX.Element | null {
  const [all, setAll] = useState<readonly OfferedService[]>([]);
  const [asked, setAsked] = useState<number>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const look = async (): Promise<void> => {
      try {
        const found = document.hidden ? undefined : await services.list();
        if (!isOver && found !== undefined) setAll(found);
      } catch {
        // Nobody answers there any more: the page says so when somebody asks for something.
      }
      if (!isOver) timer = setTimeout(() => void look(), AGAIN);
    };
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [services]);
  if (all.length === 0) return null;
  const ask = (service: OfferedService, wish: string): void => {
    setAsked(service.pid);
    services
      .ask(service.pid, wish)
      .then(setAll, (error: unknown) => onRefused(service, error))
      .finally(() => setAsked(undefined));
  };
  return (
    <section aria-label="Running now">
      <h2>Running now</h2>
      <ul class="offers">
        {all.map((service) => (
          <li key={service.recording} class="offer">
            <button
              type="button"
              class="offer-open"
              disabled={!isOpenable(service)}
              title={`What ${service.recording} has so far`}
              onClick={() => onLook(service)}
            >
              <span class="offer-name">{nameOf(service)}</span>
              <span class="quiet offer-about">{aboutOf(service)}</span>
              <span class="quiet">{sizeText(service.bytes)}</span>
            </button>
            {service.wishes.map((wish) => (
              <button
                key={wish}
                type="button"
                class="other"
                disabled={asked === service.pid}
                aria-label={`${WISHES[wish] ?? wish}: ${nameOf(service)}`}
                onClick={() => ask(service, wish)}
              >
                {WISHES[wish] ?? wish}
              </button>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

function isOpenable({ isTraced, state }: OfferedService): boolean {
  return isTraced && state !== 'waiting';
}

function nameOf({ program, pid }: OfferedService): string {
  return `${program?.split('/').at(-1) ?? 'a program'} · ${pid}`;
}

function aboutOf({ state, since, snapshots, trouble, isTraced }: OfferedService): string {
  if (trouble !== null) return trouble;
  const taken = `${snapshots} ${snapshots === 1 ? 'snapshot' : 'snapshots'}`;
  if (since === null) return state === 'waiting' ? 'not recorded yet' : `${state}, ${taken}`;
  const what = isTraced ? 'recorded' : 'snapshots only,';
  return `${what} since ${new Date(since).toLocaleTimeString()}, ${taken}`;
}

function sizeText(bytes: number): string {
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(0)} KB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
