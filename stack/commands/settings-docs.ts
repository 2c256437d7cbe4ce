import { envExample, settingsTables } from '../../process/settings/documents';
import { generate } from './generated-document';

/** The settings: `.env.example`, and docs/configuration.md between its two markers. */
const MARKER = '<!-- settings -->';

const withTable = (page: string): string => {
  const pieces = page.split(MARKER);
  if (pieces.length !== 3) throw new Error(`docs/configuration.md must hold the marker ${MARKER} twice`);
  return [pieces[0], `\n\n${settingsTables()}\n`, pieces[2]].join(MARKER);
};

void generate('stack/commands/settings-docs.ts', [
  { path: '.env.example', text: envExample },
  { path: 'docs/configuration.md', text: withTable },
]);
