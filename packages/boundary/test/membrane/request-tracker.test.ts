// Tests that requests and responses are reported as they cross the membrane: `>` is a request, `<` a response.
import { describe, expect, it } from 'vitest';
import { RequestTracker, type LabelledHandle } from '../../src/membrane/request-tracker.ts';

function createTracker(): { tracker: RequestTracker; reports: string[] } {
  const reports: string[] = [];
  const tracker = new RequestTracker({
    onRequest: (text, number) => void reports.push(`> ${number} ${text}`),
    onResponse: (text, number) => void reports.push(`< ${number} ${text}`),
  });
  return { tracker, reports };
}

const handle = (label: string): LabelledHandle => ({ proxy: {}, label });

/** Passes a request to a listener of a server, which reads the method and the URL. */
function arrive(tracker: RequestTracker, method: unknown = 'GET', url: unknown = '/') {
  const [request, response] = [handle('IncomingMessage'), handle('ServerResponse')];
  const leave = tracker.enterCallback([handle('Server'), request, response]);
  tracker.noteRead(request.proxy, 'method', method);
  tracker.noteRead(request.proxy, 'url', url);
  return { request, response, leave };
}

describe('a request of a Node server', () => {
  it.each([
    ['IncomingMessage', 'ServerResponse'],
    ['Http2ServerRequest', 'Http2ServerResponse'],
  ])('is reported once its method and URL are known: %s', (requestLabel, responseLabel) => {
    const { tracker, reports } = createTracker();
    const [request, response] = [handle(requestLabel), handle(responseLabel)];
    const leave = tracker.enterCallback([request, response]);
    tracker.noteRead(request.proxy, 'headers', {});
    tracker.noteRead({}, 'method', 'of another object');
    tracker.noteRead(request.proxy, 'url', '/first');
    expect(reports).toEqual([]);
    tracker.noteRead(request.proxy, 'url', '/second');
    tracker.noteRead(request.proxy, 'method', 'PUT');
    expect(reports).toEqual(['> 1 PUT /first']);
    tracker.noteRead(request.proxy, 'method', 'POST');
    leave();
    expect(reports).toEqual(['> 1 PUT /first']);
  });

  it('is reported without what the program has not read, after the listener or before the response', () => {
    const { tracker, reports } = createTracker();
    tracker.enterCallback([handle('IncomingMessage'), handle('ServerResponse')])();
    const [request, response] = [handle('IncomingMessage'), handle('ServerResponse')];
    tracker.enterCallback([request, response]);
    tracker.noteRead(request.proxy, 'method', 'GET');
    tracker.noteCall('ServerResponse.prototype.end', response, []);
    expect(reports).toEqual(['> 1 ? ?', '> 2 GET ?', '< 2 GET ? 200']);
  });

  it('needs a request and a response', () => {
    const { tracker, reports } = createTracker();
    for (const values of [[], [handle('IncomingMessage')], [handle('ServerResponse'), handle('Socket')]])
      tracker.enterCallback(values)();
    expect(reports).toEqual([]);
  });

  it('stays the same request for a second listener', () => {
    const { tracker, reports } = createTracker();
    const { request, response, leave } = arrive(tracker);
    leave();
    tracker.enterCallback([request, response])();
    tracker.noteCall('ServerResponse.prototype.end', response, []);
    expect(reports).toEqual(['> 1 GET /', '< 1 GET / 200']);
  });

  it.each<[string, (tracker: RequestTracker, response: LabelledHandle) => void, string[]]>([
    ['200', (tracker, response) => tracker.noteCall('ServerResponse.prototype.end', response, ['text']), ['200']],
    [
      'that of writeHead',
      (tracker, response) => {
        tracker.noteCall('ServerResponse.prototype.writeHead', response, [404, {}]);
        tracker.noteCall('ServerResponse.prototype.write', response, ['']);
        tracker.noteCall('ServerResponse.prototype.end', response, [500]);
      },
      ['404'],
    ],
    [
      'that of statusCode',
      (tracker, response) => {
        tracker.noteSet(response.proxy, 'statusCode', 201);
        tracker.noteSet(response.proxy, 'statusMessage', 'Fine');
        tracker.noteSet({}, 'statusCode', 500);
        tracker.noteCall('ServerResponse.prototype.end', response, []);
      },
      ['201'],
    ],
    ['destroyed', (tracker, response) => tracker.noteCall('Stream.destroy', response, []), ['destroyed']],
    [
      'reported once',
      (tracker, response) => {
        tracker.noteCall('ServerResponse.prototype.end', response, []);
        tracker.noteCall('ServerResponse.prototype.destroy', response, []);
        tracker.noteCall('ServerResponse.prototype.end', response, []);
      },
      ['200'],
    ],
    ['aborted', (tracker, response) => tracker.noteAborted(response), ['aborted']],
    [
      'aborted after it was sent',
      (tracker, response) => {
        tracker.noteCall('ServerResponse.prototype.end', response, []);
        tracker.noteAborted(response);
      },
      ['200', 'aborted'],
    ],
    [
      'no longer changed after it was aborted',
      (tracker, response) => {
        tracker.noteAborted(response);
        tracker.noteCall('ServerResponse.prototype.end', response, []);
        tracker.noteAborted(response);
      },
      ['aborted'],
    ],
  ])('has the status of its response: %s', (_, respond, statuses) => {
    const { tracker, reports } = createTracker();
    const { response } = arrive(tracker);
    respond(tracker, response);
    expect(reports).toEqual(['> 1 GET /', ...statuses.map((status) => `< 1 GET / ${status}`)]);
  });

  it.each([
    ['Readable.prototype.pipe', true],
    ['stream.pipeline', true],
    ['pipeline', true],
    ['pipelines', false],
    ['notpipe', false],
  ])('is answered by a stream that ends in its response: %s', (name, isAnswered) => {
    const { tracker, reports } = createTracker();
    const { response } = arrive(tracker);
    tracker.noteSet(response.proxy, 'statusCode', 206);
    tracker.noteCall(name, handle('Readable'), [{}, 'text', null, response.proxy]);
    expect(reports).toEqual(['> 1 GET /', ...(isAnswered ? ['< 1 GET / 206'] : [])]);
  });

  it('is answered through its connection, too', () => {
    const { tracker, reports } = createTracker();
    const { request } = arrive(tracker);
    tracker.noteCall('IncomingMessage.prototype.destroy', request, []);
    tracker.noteCall('ServerResponse.prototype.end', undefined, []);
    tracker.noteCall('Socket.prototype.end', handle('Socket'), []);
    tracker.noteAborted(handle('Socket'));
    expect(reports).toEqual(['> 1 GET /', '< 1 GET / destroyed']);
  });

  it('is unknown if it arrived before the tracking, and only its response is reported', () => {
    const { tracker, reports } = createTracker();
    const [first, second] = [handle('ServerResponse'), handle('Http2ServerResponse')];
    tracker.noteCall('ServerResponse.prototype.writeHead', first, [204]);
    tracker.noteCall('ServerResponse.prototype.end', first, []);
    tracker.noteAborted(second);
    expect(reports).toEqual(['< 1 ? ? 204', '< 2 ? ? aborted']);
  });

  it('has a text of limited length', () => {
    const { tracker, reports } = createTracker();
    arrive(tracker, 'M'.repeat(400), 'u'.repeat(401));
    arrive(tracker, 1, null);
    expect(reports).toEqual([`> 1 ${'M'.repeat(400)} ${'u'.repeat(400)}…`, '> 2 1 ?']);
  });
});

/** Creates the surrogates of a request and its reply. */
function create(tracker: RequestTracker, url = '/') {
  const [request, reply] = [{}, {}];
  tracker.noteSurrogate(request, ['url', 'method'], [url, 'GET']);
  tracker.noteSurrogate(reply, ['request'], [request]);
  return { request, reply };
}
type Pair = ReturnType<typeof create>;
const failure = (properties: object = {}): Error => Object.assign(new Error('failed'), properties);
/** Arguments of a handler, after its receiver. A hook has a callback, too. */
const handlerValues = ({ request, reply }: Pair): unknown[] => [undefined, request, reply];
const hookValues = ({ request, reply }: Pair): unknown[] => [undefined, request, reply, () => undefined];

/** Responses that a scenario reports, without the request `GET /`. */
function responsesOf(scenario: (tracker: RequestTracker, pair: Pair) => void): string[] {
  const { tracker, reports } = createTracker();
  const pair = create(tracker);
  expect(reports).toEqual(['> 1 GET /']);
  scenario(tracker, pair);
  return reports.slice(1).map((each) => each.replace('< 1 GET / ', ''));
}

describe('a request of a data source', () => {
  it('is reported when its surrogate is created, if that has a method and a URL', () => {
    const { tracker, reports } = createTracker();
    tracker.noteSurrogate({}, ['method'], ['GET']);
    tracker.noteSurrogate({}, ['url'], ['/']);
    tracker.noteSurrogate({}, ['request'], [{}]);
    tracker.noteSurrogate({}, ['request'], ['text']);
    tracker.noteSurrogate({}, [], []);
    create(tracker, '/a');
    create(tracker, '/b');
    expect(reports).toEqual(['> 1 GET /a', '> 2 GET /b']);
  });

  it.each<[string, (tracker: RequestTracker, pair: Pair) => void, string[]]>([
    ['sent', (tracker, { reply }) => tracker.noteInvoke(reply, 'send', ['text'])(), ['200']],
    [
      'sent with the last code',
      (tracker, { reply }) => {
        tracker.noteInvoke(reply, 'code', [202])();
        tracker.noteInvoke(reply, 'status', [203])();
        tracker.noteInvoke(reply, 'header', ['a', 'b'])();
        tracker.noteInvoke(reply, 'send', [])();
      },
      ['203'],
    ],
    [
      'a code that throws has no effect',
      (tracker, { reply }) => {
        tracker.noteInvoke(reply, 'code', [9999]);
        tracker.noteInvoke(reply, 'send', [])();
      },
      ['200'],
    ],
    ['redirected', (tracker, { reply }) => tracker.noteInvoke(reply, 'redirect', ['/elsewhere'])(), ['302']],
    ['redirected with a code', (tracker, { reply }) => tracker.noteInvoke(reply, 'redirect', ['/', 307])(), ['307']],
    [
      'redirected after a code',
      (tracker, { reply }) => {
        tracker.noteInvoke(reply, 'code', [303])();
        tracker.noteInvoke(reply, 'redirect', ['/'])();
      },
      ['303'],
    ],
    ['not found', (tracker, { reply }) => tracker.noteInvoke(reply, 'callNotFound', [])(), ['404']],
    ['other methods', (tracker, { reply }) => tracker.noteInvoke(reply, 'type', ['text/html'])(), []],
    [
      'sent once',
      (tracker, { reply }) => {
        tracker.noteInvoke(reply, 'send', [])();
        tracker.noteInvoke(reply, 'code', [500])();
        tracker.noteInvoke(reply, 'send', [])();
        tracker.noteInvoke(reply, 'callNotFound', [])();
      },
      ['200'],
    ],
    ['an error', (tracker, { reply }) => tracker.noteInvoke(reply, 'send', [failure()])(), ['500']],
    [
      'an error and another answer to it',
      (tracker, { reply }) => {
        const leave = tracker.noteInvoke(reply, 'send', [failure()]);
        tracker.noteInvoke(reply, 'code', [418])();
        tracker.noteInvoke(reply, 'send', ['teapot'])();
        leave();
      },
      ['418'],
    ],
    [
      'the same failure, reported once, and then another one',
      (tracker, pair) => {
        tracker.noteThrow(handlerValues(pair), failure({ statusCode: 400 }));
        tracker.noteThrow(handlerValues(pair), failure({ statusCode: 400 }));
        tracker.noteThrow(handlerValues(pair), failure({ statusCode: 401 }));
        tracker.noteInvoke(pair.reply, 'send', ['at last'])();
      },
      ['400', '401', '200'],
    ],
  ])('is answered by a method of its reply: %s', (_, scenario, expected) => {
    expect(responsesOf(scenario)).toEqual(expected);
  });

  it.each<[object, number]>([
    [{ statusCode: 399 }, 500],
    [{ statusCode: 400 }, 400],
    [{ statusCode: 599 }, 599],
    [{ statusCode: 600 }, 500],
    [{ statusCode: '404' }, 500],
    [{ status: 404 }, 404],
    [{ statusCode: 410, status: 404 }, 410],
    [Object.create({ statusCode: 409 }) as object, 409],
    [new Proxy({ statusCode: 409 }, {}), 500],
  ])('fails with the status of the error, %o: %i', (error, status) => {
    expect(responsesOf((tracker, pair) => tracker.noteThrow(handlerValues(pair), error))).toEqual([String(status)]);
  });

  it('fails with 500 for an error without properties, and with the code set before', () => {
    for (const reason of [undefined, null, 'text', 404])
      expect(responsesOf((tracker, pair) => tracker.noteThrow(handlerValues(pair), reason))).toEqual(['500']);
    const after = responsesOf((tracker, pair) => {
      tracker.noteInvoke(pair.reply, 'code', [409])();
      tracker.noteThrow(handlerValues(pair), failure({ statusCode: 400 }));
    });
    expect(after).toEqual(['409']);
  });

  it('is answered by the result of its handler, unless that is undefined or the reply', () => {
    const returned = (result: (pair: Pair) => unknown, values = handlerValues): string[] =>
      responsesOf((tracker, pair) => tracker.noteReturn(values(pair), result(pair)));
    expect(returned(() => 'text')).toEqual(['200']);
    expect(returned(() => null)).toEqual(['200']);
    expect(returned(() => undefined)).toEqual([]);
    expect(returned(({ reply }) => reply)).toEqual([]);
    expect(returned(({ request }) => request)).toEqual(['200']);
    // Hooks answer by other means, and functions without a reply are no handlers.
    expect(returned(() => 'text', hookValues)).toEqual([]);
    expect(
      returned(
        () => 'text',
        ({ reply }) => [undefined, reply],
      ),
    ).toEqual([]);
    expect(
      returned(
        () => 'text',
        ({ reply }) => [reply, 1, 2],
      ),
    ).toEqual([]);
  });

  it('fails if a function that gets an error and the reply returns', () => {
    const values = ({ request, reply }: Pair): unknown[] => [undefined, failure({ status: 404 }), request, reply];
    expect(responsesOf((tracker, pair) => tracker.noteReturn(values(pair), undefined))).toEqual(['404']);
    expect(responsesOf((tracker, pair) => tracker.noteReturn([undefined, failure(), pair.request], undefined))).toEqual(
      [],
    );
    expect(responsesOf((tracker, pair) => tracker.trackPromise(1, [...hookValues(pair), failure()]))).toEqual(['500']);
  });

  it('can be answered again by an error handler', () => {
    const answers = (...args: unknown[]): string[] =>
      responsesOf((tracker, pair) => {
        tracker.noteInvoke(pair.reply, 'send', ['cannot be serialized'])();
        tracker.beforeCallback([undefined, ...args, pair.request, pair.reply]);
        tracker.noteInvoke(pair.reply, 'code', [502])();
        tracker.noteInvoke(pair.reply, 'send', ['again'])();
      });
    expect(answers(failure())).toEqual(['200', '502']);
    expect(answers()).toEqual(['200']);
    expect(answers({ message: 'no error' })).toEqual(['200']);
  });

  it.each<[string, (tracker: RequestTracker, pair: Pair) => void, string[]]>([
    [
      'fulfilled by a handler',
      (tracker, pair) => {
        tracker.trackPromise(7, handlerValues(pair));
        tracker.notePromiseSettled(8, true, 'of another promise')();
        tracker.notePromiseSettled(7, true, 'value')();
        tracker.notePromiseSettled(7, false, failure())();
      },
      ['200'],
    ],
    [
      'fulfilled by a handler with undefined',
      (tracker, pair) => {
        tracker.trackPromise(7, handlerValues(pair));
        tracker.notePromiseSettled(7, true, undefined)();
      },
      ['200'],
    ],
    [
      'fulfilled with undefined after the native reply was read',
      (tracker, pair) => {
        tracker.trackPromise(7, handlerValues(pair));
        tracker.noteRead(pair.reply, 'raw', {});
        tracker.notePromiseSettled(7, true, undefined)();
      },
      [],
    ],
    [
      'fulfilled with undefined after the reply was hijacked',
      (tracker, pair) => {
        tracker.trackPromise(7, handlerValues(pair));
        tracker.noteRead(pair.reply, 'hijack', () => undefined);
        tracker.notePromiseSettled(7, true, undefined)();
      },
      [],
    ],
    [
      'fulfilled with undefined after other members were read',
      (tracker, pair) => {
        tracker.trackPromise(7, handlerValues(pair));
        tracker.noteRead(pair.reply, 'sent', false);
        tracker.notePromiseSettled(7, true, undefined)();
      },
      ['200'],
    ],
    [
      'fulfilled with a value after the native reply was read',
      (tracker, pair) => {
        tracker.trackPromise(7, handlerValues(pair));
        tracker.noteRead(pair.reply, 'hijack', undefined);
        tracker.notePromiseSettled(7, true, 'value')();
      },
      ['200'],
    ],
    [
      'fulfilled by a hook',
      (tracker, pair) => {
        tracker.trackPromise(7, hookValues(pair));
        tracker.notePromiseSettled(7, true, 'value')();
      },
      [],
    ],
    [
      'rejected by a handler or hook',
      (tracker, pair) => {
        tracker.trackPromise(7, hookValues(pair));
        const leave = tracker.notePromiseSettled(7, false, failure({ statusCode: 403 }));
        tracker.trackPromise(8, handlerValues(pair));
        tracker.notePromiseSettled(8, false, failure({ statusCode: 404 }))();
        leave();
      },
      ['404', '403'],
    ],
    [
      'rejected, but answered before the host knows',
      (tracker, pair) => {
        tracker.trackPromise(7, handlerValues(pair));
        const leave = tracker.notePromiseSettled(7, false, failure());
        tracker.noteInvoke(pair.reply, 'send', [])();
        leave();
      },
      ['200'],
    ],
    [
      'a failure while a handler is pending',
      (tracker, pair) => {
        tracker.trackPromise(7, handlerValues(pair));
        tracker.trackPromise(8, handlerValues(pair));
        tracker.noteInvoke(pair.reply, 'callNotFound', [])();
        tracker.notePromiseSettled(7, false, failure())();
        tracker.notePromiseSettled(8, false, failure({ statusCode: 410 }))();
      },
      ['410'],
    ],
    [
      'a function without a reply',
      (tracker, pair) => {
        tracker.trackPromise(7, [undefined, pair.request, 1, 2]);
        tracker.notePromiseSettled(7, false, failure())();
      },
      [],
    ],
  ])('is answered by a promise: %s', (_, scenario, expected) => {
    expect(responsesOf(scenario)).toEqual(expected);
  });

  it('is answered by the native objects behind it', () => {
    const { tracker, reports } = createTracker();
    const { request, reply } = create(tracker);
    const [message, response] = [handle('IncomingMessage'), handle('ServerResponse')];
    tracker.noteRead(request, 'raw', message.proxy);
    tracker.noteRead(reply, 'raw', response.proxy);
    tracker.noteRead(reply, 'raw', null);
    tracker.noteRead(reply, 'raw', 'text');
    tracker.noteRead(message.proxy, 'method', 'POST');
    tracker.noteCall('ServerResponse.prototype.writeHead', response, [206]);
    tracker.noteCall('ServerResponse.prototype.end', response, []);
    tracker.noteCall('IncomingMessage.prototype.destroy', message, []);
    expect(reports).toEqual(['> 1 GET /', '< 1 GET / 206']);
  });

  it('is answered by the end of the native request behind it', () => {
    const ended = (source: (pair: Pair) => object): string[] =>
      responsesOf((tracker, pair) => {
        const native = handle('Stream');
        tracker.noteRead(source(pair), 'raw', native.proxy);
        tracker.noteCall('Stream.prototype.destroy', native, []);
      });
    expect(ended(({ request }) => request)).toEqual(['destroyed']);
    expect(ended(({ reply }) => reply)).toEqual(['destroyed']);
    expect(ended(() => ({}))).toEqual([]);
  });

  it('gets the status of the host last, if that is another one', () => {
    const closed = (...statuses: unknown[]): string[] =>
      responsesOf((tracker, { request, reply }) => {
        tracker.noteInvoke(reply, 'send', [])();
        for (const status of statuses) tracker.noteHostResponse(request, status);
        tracker.noteThrow([undefined, request, reply], failure());
      });
    expect(closed(200)).toEqual(['200']);
    expect(closed(413)).toEqual(['200', '413']);
    expect(closed(413, 500)).toEqual(['200', '413']);
    expect(closed(200, 500)).toEqual(['200']);
    const { tracker, reports } = createTracker();
    tracker.noteHostResponse({}, 200);
    expect(reports).toEqual([]);
    expect(responsesOf((of, { request }) => of.noteHostResponse(request, 'aborted'))).toEqual(['aborted']);
  });

  it('is unknown if only its reply is seen to be sent', () => {
    const { tracker, reports } = createTracker();
    const reply = {};
    tracker.noteInvoke(reply, 'code', [404])();
    tracker.noteInvoke(reply, 'send', ['text'])();
    tracker.noteInvoke({}, 'send', [failure()])();
    expect(reports).toEqual(['< 1 ? ? ?', '< 2 ? ? 500']);
  });
});
