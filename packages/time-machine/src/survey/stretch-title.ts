// What a stretch is, in a few words for people.
import type { Stretch } from './survey.ts';

export function stretchTitle({
  kind,
  actor,
  method = '',
  callback,
}: Pick<Stretch, 'kind' | 'actor' | 'method' | 'callback'>): string {
  switch (kind) {
    case 'call':
      return `${actor}.${method}`;
    case 'construct':
      return `${actor} is made`;
    case 'fulfil':
      return `${actor} is answered`;
    case 'reject':
      return `${actor} is answered with an error`;
    case 'stop':
      return `${actor} is told to end`;
    case 'entry':
      return `${method} ${callback} calls ${actor}`;
    case 'evaluation':
      return 'the program is evaluated';
    case 'jobs':
      return `jobs of ${actor}`;
  }
}
