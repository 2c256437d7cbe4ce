import { envExample, settingsTable } from '../process/settings/settings-table';
import { generate } from './generated-document';

/** The settings: `.env.example`, and the README between its two markers. */
const MARKER = '<!-- settings -->';

const withTable = (readme: string): string => {
  const pieces = readme.split(MARKER);
  if (pieces.length !== 3) throw new Error(`README.md must hold the marker ${MARKER} twice`);
  return [pieces[0], `\n\n${settingsTable()}\n`, pieces[2]].join(MARKER);
};

void generate('settings-docs', [
  { path: '.env.example', text: envExample },
  { path: 'README.md', text: withTable },
]);
