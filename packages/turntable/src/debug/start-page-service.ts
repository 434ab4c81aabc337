// Service of the browser's start page: lists recordings, and serves each opened recording on a separate port, if the
// user has agreed to replay its code.
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { openRecording } from '@turntable/recording';
import { digestCode } from '@turntable/recording/code-digest';
import { describePacked } from '@turntable/recording/packed';
import type { ConsentRequest, RecentRecordings } from '@turntable/time-machine/recent';
import type { Site } from '@turntable/time-machine/server';
import { loadServices, type ServiceInfo } from '@turntable/time-machine/services';
import { recordingsIn, type ListedRecording } from '../commands/ls.ts';
import { callService, type ServiceCommand } from '@turntable/recording/services';
import {
  isDirectory,
  runningRecordingOf,
  runningServiceOf,
  resolveTracedRecording,
  recordingPathProblem,
  withRecording,
  type TrustOptions,
} from '@turntable/replayer/replay';
import { entryPath } from '../entry-path.ts';
import { pageAddress } from './interface-site.ts';
import { serveRecording, serveLiveRecording, type ServedRecording, type OpenOptions } from './served-recording.ts';
import { openRefusalOf, type OpenRefusal } from './refusal.ts';

/** A recording that the start page offers. */
export interface OfferedRecording {
  readonly path: string;
  readonly name: string;
  /** Time at which it was last opened or made, in milliseconds since 1970; undefined for a damaged recording. */
  readonly time: number | undefined;
  /** The recorded program; undefined if it is unknown. */
  readonly description: string | undefined;
  readonly exists: boolean;
}

export interface StartPageOffers {
  readonly recent: readonly OfferedRecording[];
  /** Recordings in the default directory, below the directory in which the service was started. */
  readonly local: readonly OfferedRecording[];
}

export type OpenResult = { readonly address: string } | OpenRefusal | { readonly consent: ConsentRequest };

export interface OpenRequestOptions {
  readonly isForced: boolean;
  /** Digest of the code to which the user has agreed with this request. */
  readonly agreedDigest: string | undefined;
}

export type ServicesResult = { readonly services: readonly ServiceInfo[] };

const DEFAULT_DIRECTORY = 'recordings';
const MAX_OFFERS = 50;

export class StartPageService {
  readonly #site: Site;
  readonly #recent: RecentRecordings;
  readonly #trust: TrustOptions;
  readonly #addresses = new Map<string, Promise<string>>();
  readonly #servers = new Set<Promise<void>>();
  readonly #ended = Promise.withResolvers<void>();

  constructor(site: Site, recent: RecentRecordings, trust: TrustOptions) {
    this.#site = site;
    this.#recent = recent;
    this.#trust = trust;
  }

  offers(): StartPageOffers {
    const recent = this.#recent.list().map(({ path, openedAt }) => ({
      path,
      name: basename(path),
      time: openedAt,
      description: undefined,
      exists: existsSync(path),
    }));
    return {
      recent,
      local: isDirectory(DEFAULT_DIRECTORY)
        ? recordingsIn(DEFAULT_DIRECTORY).toReversed().slice(0, MAX_OFFERS).map(toOffer)
        : [],
    };
  }

  forget(path: string): void {
    this.#recent.remove(path);
  }

  async services(): Promise<ServicesResult> {
    return { services: await loadServices() };
  }

  /** Sends a command to a program; returns the services after the command. */
  async requestService(pid: number, request: ServiceCommand): Promise<ServicesResult | OpenRefusal> {
    try {
      await callService((await runningServiceOf(pid)).path, request);
      return await this.services();
    } catch (error) {
      return openRefusalOf(error);
    }
  }

  async openService(pid: number): Promise<OpenResult> {
    try {
      const path = await runningRecordingOf(pid);
      return await this.#openOnce(`so far ${path}`, () => this.#serveLive(path));
    } catch (error) {
      return openRefusalOf(error);
    }
  }

  /**
   * Opens a recording. Without consent, nothing of it runs, and the result is the request for consent.
   * @param writtenPath path as the user typed it, relative to the start directory
   */
  async open(writtenPath: string, { isForced, agreedDigest }: OpenRequestOptions): Promise<OpenResult> {
    const path = resolve(writtenPath);
    const problem = recordingPathProblem(path);
    if (problem !== undefined) return openRefusalOf(new Error(problem));
    let recording: string;
    let codeDigest: string;
    try {
      recording = findReadableRecording(path);
      codeDigest = await digestCode(recording);
    } catch (error) {
      return openRefusalOf(error);
    }
    const { isTrusted } = this.#trust;
    // Earlier consent was to a replay in the sandbox.
    const hasConsent = codeDigest === agreedDigest || (!isTrusted && this.#recent.hasConsent(path, codeDigest));
    if (!hasConsent) return { consent: { path: recording, codeDigest, isTrusted } };
    const answer = await this.#openOnce(`${codeDigest} ${recording}`, () => this.#serveRecording(recording, isForced));
    if ('address' in answer) this.#recent.add(path, codeDigest);
    return answer;
  }

  async #openOnce(name: string, serve: () => Promise<string>): Promise<{ readonly address: string } | OpenRefusal> {
    let opening = this.#addresses.get(name);
    if (opening === undefined) this.#addresses.set(name, (opening = serve()));
    try {
      return { address: await opening };
    } catch (error) {
      this.#addresses.delete(name);
      return openRefusalOf(error);
    }
  }

  #serveRecording(path: string, isForced: boolean): Promise<string> {
    return this.#serveUntilClosed((onServed) =>
      withRecording(path, async (unpacked, file) => {
        const directory = resolveTracedRecording(unpacked);
        await onServed(await serveRecording(directory, file ?? directory, this.#openOptions(isForced)));
      }),
    );
  }

  #serveLive(directory: string): Promise<string> {
    return this.#serveUntilClosed(async (onServed) =>
      onServed(await serveLiveRecording(directory, directory, this.#openOptions(false))),
    );
  }

  #openOptions(isForced: boolean): OpenOptions {
    return { phase: undefined, isForced, isFresh: false, ...this.#trust };
  }

  /** Serves a recording until the service ends. Resolves with the address. */
  #serveUntilClosed(serve: (onServed: (opened: ServedRecording) => Promise<void>) => Promise<void>): Promise<string> {
    return new Promise((settle, reject) => {
      const serving = serve(async ({ server, close }) => {
        try {
          settle(pageAddress(await server.listen(0, this.#site)));
          await this.#ended.promise;
        } finally {
          await close();
        }
      }).catch(reject);
      this.#servers.add(serving);
    });
  }

  async close(): Promise<void> {
    this.#ended.resolve();
    await Promise.all(this.#servers);
  }
}

/** The recording that a path opens: a directory or a packed file. @throws if there is none, or if it is damaged */
function findReadableRecording(path: string): string {
  if (!isDirectory(path)) {
    describePacked(path);
    return path;
  }
  const directory = resolveTracedRecording(path);
  openRecording(directory);
  return directory;
}

function toOffer({ directory, name, created, entry, reason }: ListedRecording): OfferedRecording {
  const time = created === undefined ? undefined : Date.parse(created);
  return { path: resolve(directory), name, time, description: reason ?? entryPath(entry), exists: true };
}
