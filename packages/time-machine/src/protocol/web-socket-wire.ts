// A wire over a WebSocket to another process, with the API that Node and browsers share.
import { WireBuffer, type Wire } from './wire.ts';

/** Connects to a server; rejects if the connection fails or is refused. */
export function webSocketWire(address: string): Promise<Wire> {
  return new Promise((settle, reject) => {
    const socket = new WebSocket(address);
    const inbox = new WireBuffer();
    let onClosed: (reason: string) => void = () => {};
    socket.addEventListener('message', ({ data }) => inbox.receive(String(data)));
    socket.addEventListener('close', ({ reason }) => onClosed(reason === '' ? 'the connection was closed' : reason));
    const refusedText = 'connection refused; check the address, and that its server still runs';
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
