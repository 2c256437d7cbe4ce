import { onTestFinished } from 'vitest';
import { startAnsweringServer, type AnsweringServer, type Asked } from '../answering-server';
import type { Peer } from './peers';

/** A server that stands in for a target; `peerOf` names the peer that answers a request, undefined where `takes` does. */
export const startPeers = async (
  peerOf: (asked: Asked) => Peer | undefined,
  takes: Peer,
): Promise<Pick<AnsweringServer, 'url' | 'asked'>> => {
  const { url, asked, close } = await startAnsweringServer((_request, { socket }) => {
    const last = asked.at(-1);
    if (socket === null || last === undefined) return;
    socket.on('error', () => undefined);
    (peerOf(last) ?? takes).answer(socket);
  });
  onTestFinished(close);
  return { url, asked };
};
