import { once } from 'node:events';
import { connect, constants, createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { temporal } from '@temporalio/proto';

const { PollWorkflowTaskQueueResponse, RespondWorkflowTaskCompletedResponse, GetWorkflowExecutionHistoryResponse } =
  temporal.api.workflowservice.v1;
type History = temporal.api.history.v1.IHistory | null | undefined;

/** What of Temporal has times of events in it: the answer of each of these calls, and where its history is. */
const answersWithEvents = {
  PollWorkflowTaskQueue: [PollWorkflowTaskQueueResponse, ({ history }: { history?: History }) => history],
  GetWorkflowExecutionHistory: [GetWorkflowExecutionHistoryResponse, ({ history }: { history?: History }) => history],
  RespondWorkflowTaskCompleted: [
    RespondWorkflowTaskCompletedResponse,
    ({ workflowTask }: { workflowTask?: { history?: History } | null }) => workflowTask?.history,
  ],
} as const;

/** A proxy of gRPC before Temporal at `target`, behind which events are as if the server's clock were set while it runs. */
export const shiftedTemporal = async (target: string) => {
  /** From when on (epoch ms of the real clock), by how much (ms). */
  const shifts: (readonly [since: number, by: number])[] = [];
  const shiftIn = (history: History): void => {
    for (const { eventTime } of history?.events ?? []) {
      if (eventTime == null) continue;
      const ms = Number(eventTime.seconds) * 1_000 + (eventTime.nanos ?? 0) / 1e6;
      const by = shifts.findLast(([since]) => since <= ms)?.[1] ?? 0;
      eventTime.seconds = (Number(eventTime.seconds) + by / 1_000) as never; // a number is encoded as a Long is
    }
  };
  /** An answer of gRPC: whether it is compressed, the length, and the message. */
  const shifted = (path: string, answer: Buffer): Buffer => {
    const call = Object.entries(answersWithEvents).find(([name]) => path.endsWith(`/${name}`))?.[1];
    if (call === undefined || answer.length <= 5 || shifts.length === 0) return answer;
    const [type, historyIn] = call;
    const message = type.decode(answer[0] === 1 ? gunzipSync(answer.subarray(5)) : answer.subarray(5));
    shiftIn(historyIn(message));
    const body = type.encode(message).finish();
    const head = Buffer.alloc(5);
    head.writeUInt32BE(body.length, 1);
    return Buffer.concat([head, body]);
  };
  const server = createServer();
  server.on('session', (session) => {
    const upstream = connect(`http://${target}`);
    upstream.on('error', () => session.destroy());
    session.on('error', () => upstream.destroy());
    session.on('close', () => upstream.destroy());
    session.on('stream', (stream, headers) => void pass(stream, headers));
    const pass = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void => {
      const { 'grpc-accept-encoding': _, ':authority': __, ...others } = headers;
      const request = upstream.request(others);
      let trailers = {};
      const body: Buffer[] = [];
      stream.pipe(request);
      request.on('response', (answer, flags) => {
        const isOver = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
        if (!stream.destroyed) stream.respond(answer, isOver ? { endStream: true } : { waitForTrailers: true });
      });
      request.on('trailers', (given) => (trailers = given));
      request.on('data', (chunk: Buffer) => body.push(chunk));
      request.on('end', () => {
        if (!stream.destroyed && !stream.writableEnded)
          stream.end(shifted(String(headers[':path']), Buffer.concat(body)));
      });
      request.on('error', () => stream.close());
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      stream.on('error', () => request.close());
      stream.on('close', () => request.close(constants.NGHTTP2_CANCEL));
    };
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Sets the server's clock, from now on, `ms` ahead of the real one; back where negative. */
    setClock: (ms: number): void => void shifts.push([Date.now(), ms]),
    stop: (): void => void server.close(),
  };
};
