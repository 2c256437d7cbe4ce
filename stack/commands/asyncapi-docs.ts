import * as E from 'fp-ts/Either';
import { stringify } from 'yaml';
import { workerSettings } from '../../process/settings';
import { eventsOf } from '../../stream/append';
import { documentOf } from '../../stream/asyncapi';
import { generate } from './generated-document';

/** docs/asyncapi.yaml: the AsyncAPI document of the presets. */
const presetDocument = (): string => {
  const settings = workerSettings({});
  if (E.isLeft(settings)) throw new Error(settings.left.join('; '));
  const yaml = stringify(documentOf(eventsOf(settings.right)), { lineWidth: 0, aliasDuplicateObjects: false });
  return `# Written by stack/commands/asyncapi-docs.ts from the codecs of the events.\n${yaml}`;
};

void generate('stack/commands/asyncapi-docs.ts', [{ path: 'docs/asyncapi.yaml', text: presetDocument }]);
