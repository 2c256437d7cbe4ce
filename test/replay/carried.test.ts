import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as E from 'fp-ts/Either';
import { expect, test } from 'vitest';
import { continueAsNewArgument, decodeArgument } from '../../workflows/domain/node/state';

interface Recorded {
  readonly history: {
    readonly events: ReadonlyArray<{
      readonly workflowExecutionContinuedAsNewEventAttributes?: {
        readonly input: { readonly payloads: ReadonlyArray<{ readonly data: string }> };
      };
    }>;
  };
}

const folder = join(__dirname, 'histories');
const carried = readdirSync(folder).flatMap((name) => {
  const { history } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Recorded;
  const data = history.events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.input.payloads[0]?.data;
  return data === undefined
    ? []
    : [{ name, state: JSON.parse(Buffer.from(data, 'base64').toString('utf8')) as unknown }];
});

test('the recorded runs carried states on', () => expect(carried.length).toBeGreaterThanOrEqual(2));

const nodeIdIn = (argument: unknown): string =>
  (argument as { readonly state: { readonly nodeId: string } }).state.nodeId;

test.each(carried)('what $name carried on is read as it was', ({ state }) => {
  const begun = decodeArgument(nodeIdIn(state), state);
  expect(E.isRight(begun) ? continueAsNewArgument(begun.right) : begun).toEqual(state);
});
