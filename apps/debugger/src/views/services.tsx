// The running programs that can be recorded, polled while the page is visible, with buttons that send them commands or
// open their recordings.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ServiceInfo } from '@turntable/time-machine/services';
import type { RunningServices } from '../model/opener.ts';

const POLL_INTERVAL_MS = 2000;

const REQUEST_TITLES: Readonly<Record<string, string>> = {
  start: 'Record',
  stop: 'Stop recording',
  snapshot: 'Take a snapshot',
};

interface ServiceListProps {
  readonly services: RunningServices;
  readonly onOpen: (service: ServiceInfo) => void;
  readonly onError: (service: ServiceInfo, error: unknown) => void;
}

export function ServiceList({ services, onOpen, onError }: ServiceListProps): JSX.Element | null {
  const [listed, setListed] = useState<readonly ServiceInfo[]>([]);
  const [pendingPid, setPendingPid] = useState<number>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isUnmounted = false;
    const poll = async (): Promise<void> => {
      try {
        const found = document.hidden ? undefined : await services.list();
        if (!isUnmounted && found !== undefined) setListed(found);
      } catch {
        // The connection is lost. The next action of the user reports that.
      }
      if (!isUnmounted) timer = setTimeout(() => void poll(), POLL_INTERVAL_MS);
    };
    void poll();
    return () => {
      isUnmounted = true;
      clearTimeout(timer);
    };
  }, [services]);
  if (listed.length === 0) return null;
  const requestService = (service: ServiceInfo, request: string): void => {
    setPendingPid(service.pid);
    services
      .request(service.pid, request)
      .then(setListed, (error: unknown) => onError(service, error))
      .finally(() => setPendingPid(undefined));
  };
  return (
    <section aria-label="Running now">
      <h2>Running now</h2>
      <ul class="offers">
        {listed.map((service) => (
          <li key={service.recording} class="offer">
            <button
              type="button"
              class="offer-open"
              disabled={!isOpenable(service)}
              title={`Open what ${service.recording} has so far`}
              onClick={() => onOpen(service)}
            >
              <span class="offer-name">{serviceName(service)}</span>
              <span class="quiet offer-description">{serviceStatus(service)}</span>
              <span class="quiet">{formatSize(service.bytes)}</span>
            </button>
            {service.commands.map((request) => (
              <button
                key={request}
                type="button"
                class="other"
                disabled={pendingPid === service.pid}
                aria-label={`${REQUEST_TITLES[request] ?? request}: ${serviceName(service)}`}
                onClick={() => requestService(service, request)}
              >
                {REQUEST_TITLES[request] ?? request}
              </button>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

function isOpenable({ isTraced, state }: ServiceInfo): boolean {
  return isTraced && state !== 'waiting';
}

function serviceName({ program, pid }: ServiceInfo): string {
  return `${program?.split('/').at(-1) ?? 'a program'} · ${pid}`;
}

function serviceStatus({ state, since, snapshots, error, isTraced }: ServiceInfo): string {
  if (error !== null) return error;
  const snapshotText = `${snapshots} ${snapshots === 1 ? 'snapshot' : 'snapshots'}`;
  if (since === null) return state === 'waiting' ? 'not recorded yet' : `${state}, ${snapshotText}`;
  const mode = isTraced ? 'recorded' : 'snapshots only,';
  return `${mode} since ${new Date(since).toLocaleTimeString()}, ${snapshotText}`;
}

function formatSize(bytes: number): string {
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(0)} KB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
