// A recording that was opened to be moved about in: it has been run again once, and engines stand ready to go into its stretches.
import { fileURLToPath } from 'node:url';
import type { Recording } from '@turntable/recording';
import { TimeMachineServer } from '@turntable/replay/server';
import { engineOn } from '../engine/engine-of.ts';
import { codePlaceOf } from '../places/code-place.ts';
import { Room } from '../places/packed-place.ts';
import { surveyOf } from '../replay/surveyed.ts';
import { version } from '../version.ts';
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
    const cache = wish.isTrusted ? undefined : (codePlaceOf(directory, process.env) ?? room.directory);
    const surveyed = await surveyOf(directory, { ...wish, debug: true, cache });
    const { survey, verdict, recording, from } = surveyed;
    const wanted = { ...surveyed, cache };
    const [standing, scout] = [engineOn(survey, wanted), engineOn(survey, wanted)];
    const bookmarksIn = `${name}.bookmarks.json`;
    const inside = {
      standing,
      scout,
      sourceOf: sourcesOf(recording),
      files: () => filesOf(recording),
      bookmarksIn,
      snapshots: snapshotsOf(recording),
    };
    const server = new TimeMachineServer(survey, { name, from, verdict }, version, inside);
    return {
      server,
      close: async () => {
        await server.close();
        room[Symbol.dispose]();
      },
    };
  } catch (error) {
    room[Symbol.dispose]();
    throw error;
  }
}

/** Of modules, by what stacks call them. */
function sourcesOf(recording: Recording): (file: string) => string | undefined {
  const { modules } = recording.manifest;
  return (file) => {
    const module = modules.findLast(({ url }) => url === file || pathOf(url) === file);
    return module && recording.source(module.sha256);
  };
}

function filesOf({ manifest: { modules } }: Recording): string[] {
  return [...new Set(modules.map(({ url }) => pathOf(url) ?? url))];
}

function pathOf(url: string): string | undefined {
  return url.startsWith('file:') ? fileURLToPath(url) : undefined;
}
