import type { UpdateDefinition } from '@temporalio/common';
import { defineQuery, defineUpdate } from '@temporalio/workflow';

export const FLOOR_TASK_QUEUE = 'floor';
export const COUNTER = 'counter';
/** What the floor's worker says once it takes tasks. */
export const FLOOR_RUNS = 'the floor runs';

export const countUpdate: UpdateDefinition<number, [number]> = defineUpdate('count');
export const totalQuery = defineQuery<number>('total');
