import { defineSearchAttributeKey } from '@temporalio/common';
import * as wf from '@temporalio/workflow';
import type { Status } from './domain/status';
import { STATUS_ATTRIBUTE } from './messages';

const statusAttribute = defineSearchAttributeKey(STATUS_ATTRIBUTE, 'INT');

/**
 * Lets operators find nodes by their status. Written only where it changed, it costs a visibility write; and only by
 * nodes that were started with the attribute, since a server that does not know it would hold up the node.
 */
export const keepStatusAttribute = (before: Status, after: Status): void => {
  if (before === after || wf.workflowInfo().typedSearchAttributes.get(statusAttribute) === undefined) return;
  wf.upsertSearchAttributes([{ key: statusAttribute, value: after }]);
};
