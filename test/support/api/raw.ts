import { connect, type Socket } from 'node:net';
import type { Api } from './start-api';
import type { Reply } from './call';

/**
 * Everything that the server sends on one connection until it closes it, after `text` was sent to it; `then` is sent after the
 * first answer.
 */
export const raw = ({ port }: Pick<Api, 'port'>, text: string | Buffer, then?: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let received = '';
    const socket: Socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.setTimeout(10_000, () => {
      socket.destroy();
      reject(new Error(`still open after 10 s: ${received}`));
    });
    socket.setEncoding('utf8');
    if (then !== undefined) socket.once('data', () => socket.write(then));
    socket.on('data', (data: string) => (received += data));
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });

/** The first answer in what was received. */
export const replyIn = (received: string): Reply => {
  const [head = '', ...rest] = received.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const text = rest.join('\r\n\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const json: unknown = text === '' ? undefined : JSON.parse(text);
  return { status: Number(statusLine.split(' ')[1]), headers, text, json };
};
