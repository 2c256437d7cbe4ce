import * as E from 'fp-ts/Either';
import { Status } from '../alarm/status';
import { object, uuid } from '../codecs';
import { defineCommand, optional, required } from './command';
import { updateStatus } from './update-status';

/** Sets the external part. */
export const setExternalAlarm = defineCommand({
  description: 'Sets the external alarm: {"status": 0..4, "userId": "..."}; optional setBy (UUID), requestId.',
  payload: object('setExternalAlarm', { ...required, status: Status }, { ...optional, setBy: uuid }),
  asks: ({ status, setBy }) => [status, setBy ?? null],
  decide: (state, sent) => {
    const { status, setBy } = sent;
    const external = setBy === undefined ? { status } : { status, setBy };
    return E.right(updateStatus(state, { ...state.parts, external }, sent));
  },
});
