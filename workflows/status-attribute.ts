import { defineSearchAttributeKey } from '@temporalio/common';
import * as wf from '@temporalio/workflow';
import type { Status } from './domain/alarm/status';
import { STATUS_ATTRIBUTE } from './messages';

const statusAttribute = defineSearchAttributeKey(STATUS_ATTRIBUTE, 'INT');

/** Lets operators find nodes by their status. Written only where it changed, since it costs a visibility write. */
export const keepStatusAttribute = (before: Status, after: Status): void => {
  if (before !== after) wf.upsertSearchAttributes([{ key: statusAttribute, value: after }]);
};
