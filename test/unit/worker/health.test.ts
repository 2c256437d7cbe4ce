import { expect, test } from 'vitest';
import { failedTasksIn } from '../../../worker/health';

test('the failed tasks of every reason are added up, and nothing else', () => {
  const metrics = [
    '# HELP temporal_workflow_task_execution_failed_total workflow_task_execution_failed',
    '# TYPE temporal_workflow_task_execution_failed_total counter',
    'temporal_workflow_task_execution_failed_total{failure_reason="NonDeterminismError",task_queue="point-alarm"} 2',
    'temporal_workflow_task_execution_failed_total{failure_reason="WorkflowError",task_queue="a b {c} 7"} 3',
    'temporal_workflow_task_execution_failed_of_others{x="y"} 50',
    'temporal_workflow_task_execution_latency_count{x="y"} 50',
  ];
  expect(failedTasksIn(metrics.join('\n'))).toBe(5);
});

test('none is none', () => expect(failedTasksIn('')).toBe(0));
