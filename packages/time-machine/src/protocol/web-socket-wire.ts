// A WebSocket to a time machine elsewhere as a wire, of what Node and windows have alike.
import { WireBuffer, type Wire } from './wire.ts';

/** Rejects if nobody answers there, or whoever does wants none. */
export function webSocketWire(address: string): Promise<Wire> {
  return new Promise((settle, reject) => {
    const socket = new WebSocket(address);
    const inbox = new WireBuffer();
    let onClosed: (why: string) => void = () => {};
    socket.addEventListener('message', ({ data }) => inbox.receive(String(data)));
    socket.addEventListener('close', ({ reason }) => onClosed(reason === '' ? 'the connection was closed' : reason));
    const refusedText = 'nobody is there who takes a connection by this address';
    socket.addEventListener('error', () => reject(new Error(refusedText)));
    const wire: Wire = {
      send: (text) => socket.send(text),
      onText: inbox.onText,
      onClose: (listener) => void (onClosed = listener),
      close: () => socket.close(),
    };
    socket.addEventListener('open', () => settle(wire));
  });
}
