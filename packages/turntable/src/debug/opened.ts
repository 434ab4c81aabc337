// A recording that was opened to be moved about in: it has been run again once, and engines stand ready to go into its stretches.
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MADE_BY_TOOL, statementsOf, type StatementPlace } from '@turntable/loader';
import type { Recording } from '@turntable/recording';
import { TimeMachineServer, type Inside, type RecordingToldOf } from '@turntable/time-machine/server';
import type { Survey } from '@turntable/time-machine';
import { engineOn, standbyFor, surveyOf } from '@turntable/replayer/engine';
import { codePlaceOf, copiedSoFar, Room, type SoFar } from '@turntable/replayer/replay';
import { version } from '@turntable/replayer/entry';
import { snapshotsOf } from './snapshots-of.ts';

export interface OpenWish {
  /** The snapshot to begin with, unless with the first moment that it has. */
  readonly phase: number | undefined;
  readonly isForced: boolean;
  readonly isAnew: boolean;
  readonly isTrusted: boolean;
}

export interface OpenedRecording {
  readonly server: TimeMachineServer;
  /** Nobody is answered any more, and no process of it is left. */
  close(): Promise<void>;
}

/** @param name what it is called where it is talked of, and what its bookmarks stand beside */
export async function openedRecording(directory: string, name: string, wish: OpenWish): Promise<OpenedRecording> {
  const room = new Room();
  try {
    const { survey, recording, inside } = await lookedInto(directory, name, wish, room);
    return closedWith(room, new TimeMachineServer(survey, recording, version, inside));
  } catch (error) {
    room[Symbol.dispose]();
    throw error;
  }
}

/** Of a program that goes on: what it has recorded so far, and, as often as somebody wants that, what it has by then. */
export async function openedSoFar(directory: string, name: string, wish: OpenWish): Promise<OpenedRecording> {
  const room = new Room();
  const look = async (): Promise<LookedInto & SoFar> => {
    const soFar = await copiedSoFar(directory, room.directory);
    const { survey, recording, inside } = await lookedInto(soFar.directory, name, wish, room);
    return { ...soFar, survey, recording: { ...recording, until: soFar.until }, inside: { ...inside, renew } };
  };
  // Several may want that at a time.
  let renewing: Promise<number> | undefined;
  const renew = (): Promise<number> => {
    renewing ??= again().finally(() => (renewing = undefined));
    return renewing;
  };
  const again = async (): Promise<number> => {
    const [before, now] = [shown, await look()];
    shown = now;
    const replaced = server.replace(now.survey, now.recording, version, now.inside);
    void replaced.finally(() => rmSync(before.directory, { recursive: true, force: true })).catch(() => {});
    return now.until;
  };
  let shown: LookedInto & SoFar;
  try {
    shown = await look();
  } catch (error) {
    room[Symbol.dispose]();
    throw error;
  }
  const server = new TimeMachineServer(shown.survey, shown.recording, version, shown.inside);
  return closedWith(room, server);
}

interface LookedInto {
  readonly survey: Survey;
  readonly recording: RecordingToldOf;
  readonly inside: Inside;
}

async function lookedInto(directory: string, name: string, wish: OpenWish, room: Room): Promise<LookedInto> {
  const cache = wish.isTrusted ? undefined : (codePlaceOf(directory, process.env) ?? room.directory);
  const surveyed = await surveyOf(directory, { ...wish, debug: true, cache });
  const { survey, verdict, recording, from } = surveyed;
  const wanted = { ...surveyed, cache };
  const ready = standbyFor(wanted);
  const inside = {
    standing: engineOn(survey, wanted, ready),
    scout: engineOn(survey, wanted, ready),
    sourceOf: sourcesOf(recording),
    files: () => filesOf(recording),
    statementsOf: statementsIn(recording),
    bookmarksIn: `${name}.bookmarks.json`,
    snapshots: snapshotsOf(recording),
  };
  return { survey, recording: { name, from, verdict }, inside };
}

function closedWith(room: Room, server: TimeMachineServer): OpenedRecording {
  return {
    server,
    close: async () => {
      await server.close();
      room[Symbol.dispose]();
    },
  };
}

/** Of modules, by what stacks call them. */
function sourcesOf(recording: Recording): (file: string) => string | undefined {
  return (file) => {
    const module = moduleOf(recording, file);
    return module && recording.source(module.sha256);
  };
}

/** Of what a tool has made of a file, places are not those of the file. */
function statementsIn(recording: Recording): (file: string) => StatementPlace[] | undefined {
  return (file) => {
    const { url, sha256, settings } = moduleOf(recording, file) ?? {};
    const text = sha256 === undefined || settings === MADE_BY_TOOL ? undefined : recording.source(sha256);
    return text === undefined ? undefined : statementsOf(pathOf(url ?? '') ?? file, text, settings);
  };
}

type Module = Recording['manifest']['modules'][number];

function moduleOf({ manifest }: Recording, file: string): Module | undefined {
  return manifest.modules.findLast(({ url }) => url === file || pathOf(url) === file);
}

function filesOf({ manifest: { modules } }: Recording): string[] {
  return [...new Set(modules.map(({ url }) => pathOf(url) ?? url))];
}

function pathOf(url: string): string | undefined {
  return url.startsWith('file:') ? fileURLToPath(url) : undefined;
}
