import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { beforeDeadline, type Hierarchy, type Outage, type ReadResult } from '../ports';
import { inParallel } from '../../process/in-parallel';
import type { ApiSettings } from '../../process/settings';
import { createSlices } from '../../process/slices';
import { array, described, object, refine, uuid } from '../../workflows/domain/codecs';
import { thresholdNamed } from '../../workflows/domain/threshold/band';
import { invalidRequest, type Problem } from '../contract/problems/problem';
import { ageOf, batch, BYTES_OF_A_PIECE, jsonBody, type BatchRoute, type CallMemory } from '../contract/route';
import { thresholdsOf, thresholdViewNaming } from '../../workflows/domain/threshold/threshold';
import { batchExample, thresholdsShown } from './examples';

/** Most nodes of one batch that are read at the same time. */
const AT_ONCE = 64;

/** Bytes of a body for each id: the 36 characters of the id, and the quotes, comma and white space around it. */
const BYTES_OF_AN_ID = 128;

/** A threshold as JSON text, and its age if it comes from the cache. */
type Text = ReadResult<Buffer>;

/**
 * Reads the thresholds of the nodes `wanted` as JSON texts, by id. Each place in the list reserves memory with `reserveBytes`,
 * and the first failure ends the reads. Left: the failure of a read; 429 or 503 if `reserveBytes` gives no memory; 400 for more
 * than `share` bytes, since a repeated call would fail as well.
 */
const readTexts = async (
  wanted: ReadonlyArray<string>,
  read: (nodeId: string) => Promise<E.Either<Outage, Text>>,
  { share, reserveBytes }: CallMemory,
): Promise<E.Either<Outage | Problem, ReadonlyMap<string, Text>>> => {
  const texts = new Map<string, Text>();
  const placed = new Set<string>();
  let [taken, reached] = [0, 0];
  let failure: E.Either<Outage | Problem, never> | undefined;
  const charge = (text: Text): void => {
    taken += bytesOf(text);
    const given = taken > share ? E.right(undefined) : reserveBytes(bytesOf(text));
    if (E.isLeft(given)) failure ??= given;
  };
  const readOne = async (nodeId: string): Promise<void> => {
    const text = await read(nodeId);
    if (E.isLeft(text)) return void (failure ??= text);
    texts.set(nodeId, text.right);
    charge(text.right);
    // Charge a repeated id only once all ids before it are read. So if the answer is too long, `fitting` can tell how many fit.
    for (let place = wanted[reached]; place !== undefined && taken <= share; place = wanted[(reached += 1)]) {
      const before = texts.get(place);
      if (before === undefined) break;
      if (placed.has(place)) charge(before);
      placed.add(place);
    }
  };
  await inParallel(new Set(wanted), AT_ONCE, readOne, () => failure === undefined && taken <= share);
  return failure ?? (taken > share ? E.left(tooLong(share, fitting(wanted, texts, share))) : E.right(texts));
};

const bytesOf = ({ value }: Text): number => value.length + BYTES_OF_A_PIECE;

/** How many ids of `wanted`, from the first one on, have answers that fit into `share` bytes together. */
const fitting = (wanted: ReadonlyArray<string>, texts: ReadonlyMap<string, Text>, share: number): number => {
  let bytes = 0;
  return wanted.findIndex((nodeId) => {
    const text = texts.get(nodeId);
    bytes += text === undefined ? Infinity : bytesOf(text);
    return bytes > share;
  });
};

const tooLong = (share: number, count: number): Problem => {
  const reason = `must be fewer: the answer may take ${share} bytes, so only the first ${count} of these nodes fit`;
  return invalidRequest([{ name: 'nodeIDs', reason }]);
};

export const getThresholds = (settings: ApiSettings, hierarchy: Hierarchy): BatchRoute => {
  const { BAND_THRESHOLD_NAME: limitsName, MAX_BATCH_NODES } = settings;
  const measurementPoint = refine(uuid, (nodeId) =>
    hierarchy.kindOf(nodeId) === 'measurement_point' ? [] : [{ name: '', reason: 'must be a measurement point' }],
  );
  const nodeIDs = array(measurementPoint, MAX_BATCH_NODES);
  const inSlices = createSlices();
  return batch({
    id: 'getThresholds',
    summary: 'Read the thresholds of several nodes',
    description:
      'The answer has the order and the length of `nodeIDs`, repeats included. All or nothing: an id that is no measurement point, a permission that is lacking, a threshold that cannot be read, or an answer that would be too long refuses the whole call.',
    method: 'POST',
    path: '/v1/point-alarm-threshold-batch',
    action: 'POINT_ALARM_STATUS::GET_ALARM_THRESHOLD_BATCH',
    actionOfEach: 'POINT_ALARM_STATUS::GET_ALARM_THRESHOLD',
    codec: object('AlarmThresholdBatch', {
      nodeIDs: described(nodeIDs, 'The nodes, measurement points all; they may repeat.'),
    }),
    body: {
      description: 'The nodes to read.',
      mostBytes: Math.min(settings.MAX_BODY_BYTES, BYTES_OF_AN_ID * (1 + MAX_BATCH_NODES)),
      examples: { one: batchExample },
    },
    answers: {
      200: jsonBody(
        'The thresholds.',
        thresholdsOf(thresholdViewNaming(limitsName)),
        thresholdsShown(limitsName),
        'Age',
      ),
    },
    accept: ({ nodeIDs: wanted }) => ({
      nodeIds: [...new Set(wanted)],
      handle: (nodes, { isFresh, by }, memory) => {
        const read = async (nodeId: string): Promise<E.Either<Outage, Text>> => {
          if (by.disconnected.aborted || performance.now() >= by.until) return E.left({ _tag: 'TimedOut' });
          const found = await nodes.threshold(nodeId, { isFresh, by })();
          if (E.isLeft(found)) return found;
          const { value: node, ...about } = found.right;
          const shown = () => JSON.stringify(thresholdNamed(limitsName, node.threshold));
          return E.right({ value: await inSlices(() => Buffer.from(shown())), ...about });
        };
        return pipe(
          beforeDeadline(by.until - performance.now(), () => readTexts(wanted, read, memory)),
          TE.map((texts) => ({ status: 200, headers: ageOf(oldestOf(texts)), pieces: piecesOf(wanted, texts) })),
        );
      },
    }),
  });
};

const BEGIN = Buffer.from('{"thresholds":[');
const COMMA = Buffer.from(',');
const END = Buffer.from(']}');

const piecesOf = (wanted: ReadonlyArray<string>, texts: ReadonlyMap<string, Text>): ReadonlyArray<Buffer> => {
  const pieces: Buffer[] = [BEGIN];
  for (const nodeId of wanted) {
    if (pieces.length > 1) pieces.push(COMMA);
    const text = texts.get(nodeId);
    if (text !== undefined) pieces.push(text.value);
  }
  return [...pieces, END];
};

/** The greatest age of several reads; undefined if all come from the nodes themselves. */
const oldestOf = (found: ReadonlyMap<string, Text>): number | undefined => {
  const ages = [...found.values()].flatMap(({ age }) => (age === undefined ? [] : [age]));
  return ages.length === 0 ? undefined : Math.max(...ages);
};
