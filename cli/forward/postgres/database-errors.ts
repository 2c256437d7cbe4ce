import { DatabaseError } from 'pg';
import { reasonOf } from '../../../process/reason-of';
import { accessDenied, notReachable, unusable, type CommandFailure } from '../../command-failure';
import { NewerJournal } from './migrate';

/** Classes of SQLSTATE by which the event itself is at fault: its data, or an integrity rule. */
const EVENTS_FAULT = ['22', '23'];
/** Invalid authorization, and a right that is missing. */
const DENIED = ['28000', '28P01', '42501'];

/** Whether the event is at fault, and not the database or the way to it. */
export const isEventsFault = (error: unknown): boolean =>
  error instanceof DatabaseError && EVENTS_FAULT.includes((error.code ?? '').slice(0, 2));

/** Why the journal cannot be opened. */
export const openingFailure = (server: string, error: unknown): CommandFailure => {
  if (error instanceof NewerJournal) return unusable(`${server}: ${error.message}`);
  if (!(error instanceof DatabaseError)) return notReachable(server, reasonOf(error));
  if (DENIED.includes(error.code ?? '')) return accessDenied(server, error.message);
  return error.code === NO_DATABASE ? unusable(`${server}: ${error.message}`) : notReachable(server, error.message);
};

const NO_DATABASE = '3D000';
