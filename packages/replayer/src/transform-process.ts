// Entry point of the transform service's process (transform-service/server.ts).
import { serveTransforms } from './transform-service/server.ts';

serveTransforms(process.argv.slice(2));
