// What this user has opened lately, wherever that was.
import { RecentPlaces } from '@turntable/time-machine/recent';
import { ownCache } from './own-cache.ts';

export function recentPlaces(): RecentPlaces {
  return new RecentPlaces(ownCache('recent.json', process.env));
}
