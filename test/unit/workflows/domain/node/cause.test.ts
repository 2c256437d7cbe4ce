import * as E from 'fp-ts/Either';
import { describe, expect, test } from 'vitest';
import { decode } from '../../../../../workflows/domain/codecs';
import { Cause, traceContextOf, traceparentOf } from '../../../../../workflows/domain/node/cause';
import { recalculate, setExternalAlarm } from '../../../../support/commands';
import { accepted, nodeId, send, START } from '../../../../support/scenario';
import { newNode } from '../../../../../workflows/domain/node/state';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const sampled = { traceId: TRACE, spanId: SPAN, isSampled: true };

describe('a traceparent', () => {
  test.each<[name: string, traceparent: string, then: ReturnType<typeof traceContextOf>]>([
    ['sampled', `00-${TRACE}-${SPAN}-01`, sampled],
    ['not sampled', `00-${TRACE}-${SPAN}-00`, { ...sampled, isSampled: false }],
    ['with flags to come', `00-${TRACE}-${SPAN}-ff`, sampled],
    ['of a later version', `cc-${TRACE}-${SPAN}-01-what-the-future-brings`, sampled],
    ['of a later version, just as long', `cc-${TRACE}-${SPAN}-01`, sampled],
    ['of a later version, that goes on without a dash', `cc-${TRACE}-${SPAN}-01.x`, undefined],
    ['of a later version, with another line', `cc-${TRACE}-${SPAN}-01\n`, undefined],
    ['of the version that is none', `ff-${TRACE}-${SPAN}-01-x`, undefined],
    ['with more than version 00 has', `00-${TRACE}-${SPAN}-01-x`, undefined],
    ['in capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`, undefined],
    ['without a trace', `00-${'0'.repeat(32)}-${SPAN}-01`, undefined],
    ['without a span', `00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
    ['too short', `00-${TRACE.slice(1)}-${SPAN}-01`, undefined],
    ['given twice', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`, undefined],
    ['with another line', `00-${TRACE}-${SPAN}-01\n`, undefined],
    ['empty', '', undefined],
  ])('%s', (_name, traceparent, then) => expect(traceContextOf(traceparent)).toEqual(then));

  test.each([[true], [false]])('is written as it is read, sampled: %j', (isSampled) => {
    expect(traceContextOf(traceparentOf({ ...sampled, isSampled }))).toEqual({ ...sampled, isSampled });
  });
});

describe('the cause of a command', () => {
  test.each<[name: string, cause: unknown, isTaken: boolean]>([
    ['nothing', {}, true],
    ['both', { requestId: 'x'.repeat(64), traceparent: `00-${TRACE}-${SPAN}-01` }, true],
    ['no name', { requestId: '' }, false],
    ['a name that is too long', { requestId: 'x'.repeat(65) }, false],
    ['a traceparent of a later version', { traceparent: `cc-${TRACE}-${SPAN}-01-x` }, false],
    ['a traceparent without a trace', { traceparent: `00-${'0'.repeat(32)}-${SPAN}-01` }, false],
    ['a traceparent that is no text', { traceparent: 1 }, false],
    ['more', { baggage: 'x' }, false],
  ])('of %s', (_name, cause, isTaken) => expect(E.isRight(decode(Cause, cause))).toBe(isTaken));

  test('is not kept, and no repeat is told by it', () => {
    const [name, payload] = setExternalAlarm({ status: 3 }, { idempotencyKey: 'one' });
    const cause = { requestId: 'first', traceparent: `00-${TRACE}-${SPAN}-01` };
    const { node, commands } = accepted(send(newNode(nodeId), [name, { ...payload, cause }], START));
    expect(commands).toMatchObject([{ cause }]);
    expect(JSON.stringify(node.state)).not.toMatch(/first|4bf92f35/u);
    const again = send(node, [name, { ...payload, cause: { requestId: 'second' } }], START + 1);
    expect(again).toMatchObject(E.left({ _tag: 'Unchanged' }));
    expect(send(node, recalculate({ cause: 17 }), START + 2)).toMatchObject(E.left({ _tag: 'InvalidCommand' }));
  });
});
