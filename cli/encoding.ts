import { TextDecoder } from 'node:util';

/** Decodes what begins with `bytes`: UTF-16 where its byte order mark says so, as spreadsheets save it, else UTF-8. */
export const decoderFor = ([first, second]: Uint8Array): TextDecoder => {
  const isLittle = first === 0xff && second === 0xfe;
  const isBig = first === 0xfe && second === 0xff;
  return new TextDecoder(isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8', { fatal: true });
};

/** What is wrong with a file that the decoder refuses, or whose text is that of another encoding. */
export const NO_TEXT = 'is no text in UTF-8: save it as UTF-8, in a spreadsheet as "CSV UTF-8"';
